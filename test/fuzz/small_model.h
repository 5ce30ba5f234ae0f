/* small_model.h - a small model for the fuzz targets that fuzz something else than models. Included once, by the
 * fuzz_TARGET.c that gives it its name. */
#include "fuzz_host.h"

/* Features plan (text categories), fee (a number), zone (integer categories); binary:logistic. */
static const char MODEL[] =
    "{\"learner\":{\"attributes\":{},\"feature_names\":[\"plan\",\"fee\",\"zone\"],"
    "\"feature_types\":[\"c\",\"float\",\"c\"],\"gradient_booster\":{\"model\":{\"cats\":{\"enc\":["
    "{\"offsets\":[0,5,9,13],\"values\":[98,97,115,105,99,103,111,108,100,112,108,117,115]},"
    "{\"offsets\":[],\"values\":[]},{\"type\":15,\"values\":[10,20,30]}],"
    "\"feature_segments\":[0,3,3,6],\"sorted_idx\":[0,1,2,0,1,2]},"
    "\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"1\"},"
    "\"iteration_indptr\":[0,1],\"tree_info\":[0],\"trees\":[{\"base_weights\":[0,0,0,0,0],"
    "\"categories\":[1],\"categories_nodes\":[0],\"categories_segments\":[0],"
    "\"categories_sizes\":[1],\"default_left\":[1,0,0,0,0],\"id\":0,"
    "\"left_children\":[1,3,-1,-1,-1],\"loss_changes\":[1,1,0,0,0],"
    "\"parents\":[2147483647,0,0,1,1],\"right_children\":[2,4,-1,-1,-1],"
    "\"split_conditions\":[0,0.5,-3,1,2],\"split_indices\":[0,1,0,0,0],"
    "\"split_type\":[1,0,0,0,0],\"sum_hessian\":[10,10,10,10,10],"
    "\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"3\",\"num_nodes\":\"5\","
    "\"size_leaf_vector\":\"1\"}}]},\"name\":\"gbtree\"},\"learner_model_param\":{"
    "\"base_score\":\"[5E-1]\",\"boost_from_average\":\"1\",\"num_class\":\"0\","
    "\"num_feature\":\"3\",\"num_target\":\"1\"},\"objective\":{\"name\":\"binary:logistic\","
    "\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}},\"version\":[3,2,0]}";
