# grow_model.pl - repeats the trees of an XGBoost JSON model: perl grow_model.pl TIMES <model.json >larger.json
use strict;
use warnings;

my ($times) = @ARGV;
local $/;
my $model = <STDIN>;
my ($head, $trees, $tail) = $model =~ /^(.*"trees":\[)(.*)(\]\},"name":"gbtree".*)$/s or die "no trees found\n";
my @trees = split /,(?=\{"base_weights")/, $trees;
my $count = @trees * $times;

$head =~ s/"num_trees":"\d+"/"num_trees":"$count"/;
$head =~ s/"iteration_indptr":\[[^\]]*\]/'"iteration_indptr":[' . join(',', 0 .. $count) . ']'/e;
$head =~ s/"tree_info":\[[^\]]*\]/'"tree_info":[' . join(',', (0) x $count) . ']'/e;
print $head;
for my $id (0 .. $count - 1) {
    my $tree = $trees[$id % @trees];
    $tree =~ s/"id":\d+/"id":$id/;
    print $id ? ',' : '', $tree;
}
print $tail;
