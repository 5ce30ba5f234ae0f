/* gate.c - when the setting device = auto uses the device: where the CPU's own time, as measured, says that it pays. */
#include "host/host.h"

enum {
    ENOUGH_ROWS = 200000,    /* a statement that is so long may be long */
    HANDING_OVER = 40,       /* nanoseconds of a row: columns into the block, its way there and back */
    LEAST_GAIN = 200,        /* nanoseconds of a row: below, fetching the row takes all the time */
    OPENING = 300 * 1000000, /* nanoseconds */
    UPLOADED = 2,            /* bytes in a nanosecond, with all that packing takes */
    FEW_BLOCKS = 4
};

bool host_gate_opens(const host_gate *gate, size_t bytes, bool is_open)
{
    uint64_t rows = gate->rows, cost = bytes / UPLOADED + (is_open ? 0 : OPENING);

    if (gate->closed || rows < ENOUGH_ROWS || gate->nanoseconds / rows < HANDING_OVER + LEAST_GAIN)
        return false;
    return gate->nanoseconds - rows * HANDING_OVER > cost;
}

bool host_gate_regrets(const host_gate *gate, const hbs_device_use *use)
{
    return use->blocks >= FEW_BLOCKS && gate->rows > 0 && use->rows > 0 &&
           use->waited / use->rows > gate->nanoseconds / gate->rows;
}
