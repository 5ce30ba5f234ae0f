-- hbscore_set and hbscore_get.
.nullvalue NULL
-- : what there is at first
SELECT hbscore_get('plan_cache_size'), hbscore_get('max_model_size');
-- : a setting belongs to the connection and is given back
SELECT hbscore_set('plan_cache_size', 1000000), hbscore_get('plan_cache_size');
SELECT hbscore_set('max_model_size', 60000), hbscore_get('max_model_size');
-- : max_model_size bounds registration and inspection; what is stored already is scored
SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'));
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT count(*) FROM hbscore_inspect(readfile('demo/models/wine.ubj'));
SELECT hbscore_set('max_model_size', 54356);
SELECT predict('cancer', '[]');
SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'));
SELECT hbscore_set('max_model_size', 54357);
SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'));
SELECT hbscore_set('max_model_size', 67108864);
-- : bounds
SELECT hbscore_set('max_model_size', 0);
SELECT hbscore_set('max_model_size', 523239424), hbscore_set('max_model_size', 67108864);
SELECT hbscore_set('max_model_size', 523239425);
SELECT hbscore_set('plan_cache_size', -1);
SELECT hbscore_set('plan_cache_size', 0);
SELECT hbscore_set('plan_cache_size', 9223372036854775807);
-- S2: types
SELECT hbscore_set('plan_cache_size', '1000');
-- : a text with a unit is read as PostgreSQL reads it
SELECT hbscore_set('plan_cache_size', '64MB'), hbscore_set('plan_cache_size', '2 GB'), hbscore_set('plan_cache_size', '100kB'), hbscore_set('plan_cache_size', '7B');
SELECT hbscore_set('plan_cache_size', '64mb');
SELECT hbscore_set('plan_cache_size', 'MB');
SELECT hbscore_set('plan_cache_size', '-1MB');
SELECT hbscore_set('plan_cache_size', '1.5MB');
SELECT hbscore_set('plan_cache_size', '64MB ');
SELECT hbscore_set('plan_cache_size', '9999999TB');
SELECT hbscore_set('plan_cache_size', '12345678B');
SELECT hbscore_set('plan_cache_size', '');
-- : numbers are bytes
SELECT hbscore_set('plan_cache_size', 1000.5);
SELECT hbscore_set('plan_cache_size', 0.0);
SELECT hbscore_set('plan_cache_size', NULL);
SELECT hbscore_set(NULL, 1);
SELECT hbscore_set(1, 1);
SELECT hbscore_get(NULL);
-- : a setting that is a word
SELECT hbscore_get('dense'), hbscore_set('dense', 'blas'), hbscore_get('dense'), hbscore_set('dense', 'exact');
SELECT hbscore_set('dense', 'Exact');
SELECT hbscore_set('dense', 'blas' || char(0));
SELECT hbscore_set('dense', 1);
SELECT hbscore_set('dense', NULL);
SELECT hbscore_set('dense', x'626c6173');
SELECT hbscore_get('dense');
-- : unknown ones
SELECT hbscore_set('cache', 1);
SELECT hbscore_get('Plan_Cache_Size');
SELECT hbscore_get('');
SELECT hbscore_get('plan_cache_size' || char(0));
SELECT hbscore_get('plan_cache_size'), hbscore_get('max_model_size');
-- : without a cache each statement reads its model anew, and scores
SELECT predict_json('cancer', (SELECT json_group_array(1) FROM generate_series(1, 30))) ->> 'model';
SELECT predict_json('cancer@1', (SELECT json_group_array(1) FROM generate_series(1, 30))) ->> 'model' FROM generate_series(1, 3);
SELECT predict_json('cancer@' || value, (SELECT json_group_array(1) FROM generate_series(1, 30))) ->> 'model' FROM generate_series(1, 2);
-- : the version
SELECT hbscore_version() GLOB '[0-9]*.[0-9]*.[0-9]*', typeof(hbscore_version());
SELECT hbscore_version(1);
