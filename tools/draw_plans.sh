#!/bin/sh
# draw_plans.sh - the drawing of docs/architecture.md: tools/draw_plans.sh BUILD
#
# The demo's pipeline before and after the optimizer, by hbscore_plan(model, 'dot') and Graphviz's dot (Debian's package
# graphviz), which nothing else needs.
set -eu

picture=docs/images/plan.svg
command -v dot >/dev/null || { echo "draw_plans.sh: no dot: install Debian's package graphviz" >&2; exit 1; }
{
    printf '.load %s/hbscore\n.output /dev/null\n' "$1"
    echo "SELECT hbscore_register('titanic_pipeline', readfile('demo/models/titanic_pipeline.json'));"
    printf '.output stdout\n%s\n' "SELECT hbscore_plan('titanic_pipeline', 'dot');"
} | sqlite3 -batch -init /dev/null :memory: >"$1/plan.dot"
dot -Tsvg -o "$picture" "$1/plan.dot"
echo "written: $picture"
