/* rebuild.h - a graph that is built anew from another one, node by node, for passes that add nodes between others. */
#ifndef HB_GRAPH_REBUILD_H
#define HB_GRAPH_REBUILD_H

#include "ir/graph.h"

/* An empty graph in the old one's arena, with the old one's pipeline, tolerances and reports. hb_graph_release frees
 * it. */
void hb_graph_begin_again(hb_graph *made, const hb_graph *old);

/* Appends node i of the old graph, which reads number[x] where it read node x; gives its number, as hb_graph_append. */
uint32_t hb_graph_copy_node(hb_graph *made, const hb_graph *old, size_t i, const uint32_t *number);

#endif
