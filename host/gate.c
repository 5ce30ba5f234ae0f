/* gate.c - when the setting device = auto uses the device: where the CPU's own time, as measured, says that it pays. */
#include "host/host.h"

enum {
    MEASURED_ROWS = 4096,              /* tell how long a row takes */
    ENOUGH_ROWS = 200000,              /* a statement that is so long may be worth the memory of a context.. */
    ENOUGH_OF_OPEN = HOST_DEVICE_ROWS, /* ..and one that is so long the room of its blocks */
    LEAST_GAIN = 200,                  /* nanoseconds of a row: below, fetching the row takes all the time */
    OPENING = 300 * 1000000,           /* nanoseconds */
    BEGINNING = 5 * 1000000,           /* the same, where it is open: memory for two blocks */
    UPLOADED = 2,                      /* bytes in a nanosecond, with all that packing takes */
    GUESSED = 2,                       /* expected rows are a guess: they have to pay so many times */
    FEW_BLOCKS = 4
};

double host_gate_cost(size_t bytes, bool is_open)
{
    return (double)(bytes / UPLOADED) + (is_open ? BEGINNING : OPENING);
}

static double gain_of(double row_nanoseconds, uint64_t rows)
{
    return (double)rows * (row_nanoseconds - HOST_HANDING_OVER);
}

bool host_gate_gains(double row_nanoseconds)
{
    return row_nanoseconds >= HOST_HANDING_OVER + LEAST_GAIN;
}

bool host_gate_may_open(double row_nanoseconds, uint64_t expected, size_t bytes, bool is_open)
{
    return host_gate_gains(row_nanoseconds) &&
           gain_of(row_nanoseconds, expected) > GUESSED * host_gate_cost(bytes, is_open);
}

bool host_gate_opens(const host_gate *gate, size_t bytes, bool is_open)
{
    uint64_t rows = gate->rows, to_come = gate->expected > rows ? gate->expected - rows : 0;
    double nanoseconds;

    if (gate->closed || rows < MEASURED_ROWS)
        return false;
    nanoseconds = (double)gate->nanoseconds / (double)rows;
    if (host_gate_may_open(nanoseconds, to_come, bytes, is_open))
        return true;
    return rows >= (is_open ? ENOUGH_OF_OPEN : ENOUGH_ROWS) && host_gate_gains(nanoseconds) &&
           gain_of(nanoseconds, rows) > host_gate_cost(bytes, is_open);
}

bool host_gate_regrets(const host_gate *gate, const hbs_device_use *use)
{
    return use->blocks >= FEW_BLOCKS && gate->rows > 0 && use->rows > 0 &&
           use->waited / use->rows > gate->nanoseconds / gate->rows;
}
