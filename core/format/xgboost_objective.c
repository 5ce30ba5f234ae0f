/* xgboost_objective.c - what each objective makes of its margins (src/objective in XGBoost 3.5-dev). */
#include "format/xgboost.h"

static const hb_xgboost_objective objectives[] = {
    {"reg:squarederror", HBS_REGRESSOR, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"reg:linear", HBS_REGRESSOR, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"reg:squaredlogerror", HBS_REGRESSOR, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"reg:pseudohubererror", HBS_REGRESSOR, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"reg:absoluteerror", HBS_REGRESSOR, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"reg:quantileerror", HBS_REGRESSOR, HB_LINK_SORT, HB_BASE_IDENTITY, false},
    {"reg:expectileerror", HBS_REGRESSOR, HB_LINK_EXPECTILE, HB_BASE_EXPECTILE, false},
    {"reg:logistic", HBS_REGRESSOR, HB_LINK_SIGMOID, HB_BASE_LOGIT, false},
    {"reg:gamma", HBS_REGRESSOR, HB_LINK_EXP, HB_BASE_LOG, false},
    {"reg:tweedie", HBS_REGRESSOR, HB_LINK_EXP, HB_BASE_LOG, false},
    {"count:poisson", HBS_REGRESSOR, HB_LINK_EXP, HB_BASE_LOG, false},
    {"survival:cox", HBS_REGRESSOR, HB_LINK_EXP, HB_BASE_LOG, false},
    {"survival:aft", HBS_REGRESSOR, HB_LINK_EXP, HB_BASE_LOG, false},
    {"rank:pairwise", HBS_RANKER, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"rank:ndcg", HBS_RANKER, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"rank:map", HBS_RANKER, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"binary:logistic", HBS_CLASSIFIER, HB_LINK_SIGMOID, HB_BASE_LOGIT, true},
    {"binary:logitraw", HBS_CLASSIFIER, HB_LINK_IDENTITY, HB_BASE_IDENTITY, false},
    {"binary:hinge", HBS_CLASSIFIER, HB_LINK_HINGE, HB_BASE_IDENTITY, false},
    {"multi:softprob", HBS_CLASSIFIER, HB_LINK_SOFTMAX, HB_BASE_IDENTITY, true},
    {"multi:softmax", HBS_CLASSIFIER, HB_LINK_SOFTMAX, HB_BASE_IDENTITY, true},
};

const hb_xgboost_objective *hb_xgboost_objective_find(hbs_text name)
{
    for (size_t i = 0; i < sizeof(objectives) / sizeof(objectives[0]); i++)
        if (hb_text_is(name, objectives[i].name))
            return &objectives[i];
    return NULL;
}
