-- CatBoost's models. The scores that stand here are the library's, from test/golden/catboost: each comparison gives 1.
.nullvalue NULL
.mode list
SELECT hbscore_register('text', readfile('test/golden/catboost/ctr_default_12.json'));
SELECT hbscore_register('numbers', readfile('test/golden/catboost/one_hot_integers_12.json'));
SELECT hbscore_register('plain', readfile('test/golden/catboost/rmse_12.json'));
SELECT hbscore_register('names', readfile('test/golden/catboost/names_12.json'));
SELECT hbscore_register('threshold', readfile('test/golden/catboost/threshold_12.json'));
SELECT hbscore_register('four', readfile('test/golden/catboost/multiclass_text_12.json'));
SELECT hbscore_register('tie', readfile('test/golden/catboost/tie_12.json'));
SELECT hbscore_register('turned', readfile('test/golden/catboost/classes_turned_12.json'));
SELECT hbscore_register('booleans', readfile('test/golden/catboost/classes_bool_12.json'));
SELECT hbscore_register('reals', readfile('test/golden/catboost/classes_float_12.json'));
SELECT hbscore_register('five', readfile('test/golden/catboost/classes_count_12.json'));
SELECT hbscore_register('several', readfile('test/golden/catboost/multi_rmse_12.json'));
SELECT hbscore_register('unsure', readfile('test/golden/catboost/rmse_with_uncertainty_12.json'));
SELECT hbscore_register('flags', readfile('test/golden/catboost/multi_logloss_12.json'));
SELECT name, version, format, length(model) > 1000 FROM hbscore_models;

-- : by position, as a JSON array and by name
SELECT decision_function('text', -0.7734375, 'silver', 0.69140625, 'café') = '[-0.41324679143979337]';
SELECT decision_function('text', '[-0.7734375, "silver", 0.69140625, "caf\u00e9"]') = '[-0.41324679143979337]';
SELECT decision_function('text', '{"cat 1": "café", "REAL 0": -0.7734375, "cat 0": "silver", "real 1": 0.69140625, "x": 1}') = '[-0.41324679143979337]';
SELECT predict('plain', 1.09375, 1840, NULL) = 4.876296391424264, predict('plain', '{"2": null, "0": 1.09375, "1": 1840}') = 4.876296391424264;
SELECT predict('names', '{"größe in m": 0, "a \"b\" c": -0.0, "日本": 0}') = 0.3424689619711737;
SELECT predict_json('text', -0.7734375, 'silver', 0.69140625, 'café') ->> 'prediction';
-- S1: counts
SELECT predict('text', 1, 'gold', 2);
SELECT predict('text', '[1, "gold", 2, "x", 3]');
SELECT predict('text', '{"real 0": 1, "cat 0": "gold", "real 1": 2}');
-- S2: types
SELECT predict('text', 'old', 'gold', 1, 'x');
SELECT predict('text', 1, x'676f6c64', 1, 'x');
SELECT predict('text', x'31', 'gold', 1, 'x');
SELECT predict('numbers', 1, 12.0, 1, 1);
SELECT predict('numbers', '[1, 12, 1, 1.0]');
SELECT predict('numbers', '[1, 12, 1, true]');

-- S3: NULL and NaN in numbers: below all of them, above all of them, none in training
SELECT predict('plain', NULL, NULL, NULL) = 4.017175345096349, predict('plain', 'nan', NULL, 'NaN') = 4.017175345096349, predict('plain', -9e999, -9e999, -9e999) = 4.017175345096349;
SELECT hbscore_register('above', readfile('test/golden/catboost/nan_max_12.json'));
SELECT predict('above', -0.4493371546268463, NULL) = -0.13563141220135466, predict('above', -0.4493371546268463, NULL) = predict('above', -0.4493371546268463, 9e999);
SELECT hbscore_register('none', readfile('test/golden/catboost/nan_forbidden_12.json'));
SELECT predict('none', NULL, NULL) = predict('none', -9e999, -9e999);
-- S3: a category that is NULL: no result, or an error; 'nan' and '' are categories
SELECT decision_function('text', 0.48828125, NULL, 0.09033203125, 'naïve'), predict('text', NULL, 'two words', NULL, NULL), predict_json('text', '[0, null, 0, "x"]');
SELECT decision_function('text', 1, 'gold', 1, 9e999 - 9e999);
SELECT predict('text', 1, 'nan', 1, '') IS NOT NULL;
SELECT hbscore_register('text', readfile('test/golden/catboost/ctr_default_12.json'), '{"on_missing": "error"}');
SELECT predict('text', 1, 'gold', 1, NULL);
SELECT predict('text', NULL, 'gold', NULL, 'x') IS NOT NULL;
SELECT hbscore_drop('text', 2);
SELECT predict(NULL, 1), predict('text', json(NULL));
-- S4: infinities, numbers beyond float32, and those that float32 makes equal
SELECT predict('plain', 9e999, 9e999, 9e999) = 7.026035847045844, predict('plain', 1e300, 3.4028235677973366e38, 1e300) = 7.026035847045844;
SELECT decision_function('text', 9e999, 'gold', 9e999, '日本') = '[-0.2995281507418567]', decision_function('text', -1e300, 'basic', -1e300, 'Ωmega') = '[0.5374089051222704]';
SELECT predict('plain', 16777216, 16777217, 0.1) = predict('plain', 16777217, 16777216, 0.100000001490116);

-- S5: integers are their decimal texts
SELECT decision_function('numbers', NULL, 7, 0, 1) = '[0.3762397208471494]', decision_function('numbers', NULL, '7', 0, '1') = '[0.3762397208471494]';
SELECT decision_function('numbers', '[null, 7, 0, 1]') = '[0.3762397208471494]', decision_function('numbers', 9e999, 12, 9e999, -9223372036854775807 - 1) = '[1.1541063008233097]';
SELECT decision_function('numbers', NULL, 7, 1, '+-9223372036854775808') = '[0.3762397208471494]', decision_function('numbers', NULL, ' 7', 0, 1) <> '[0.3762397208471494]';
-- S5: unseen categories have a score
SELECT decision_function('text', -0.903418242931366, 'gold', 3.0041990280151367, 9223372036854775807) = '[-0.0952325466081031]';
SELECT decision_function('text', 0.18702110648155212, 'silver', 1.3522765636444092, 2147483648) = '[0.3792038508181505]';
SELECT decision_function('text', 0, 'Gold', 0, 'x') <> decision_function('text', 0, 'gold', 0, 'x'), decision_function('text', 0, 'Gold', 0, 'x') = decision_function('text', 0, 'gold ', 0, 'x');
SELECT hbscore_register('bad', readfile('test/golden/catboost/ctr_default_12.json'), '{"on_unseen": "missing"}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/ctr_default_12.json'), '{"on_unseen": "error"}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/rmse_12.json'), '{"missing": -1}');

-- : classes, thresholds and ties
SELECT predict('text', 9e999, 'gold', 9e999, '日本'), abs(predict_probability('text', 1, 9e999, 'gold', 9e999, '日本') / 0.4256728347110159 - 1) < 1e-12;
SELECT predict('threshold', NULL), decision_function('threshold', NULL) = '[-0.12576612158566464]', round(predict_probability('threshold', 1, NULL), 4), predict('threshold', -0.25);
SELECT predict('four', 0.1875), predict('four', 2.796875), predict_label('four', NULL), decision_function('four', 2.796875) = '[-0.11272678122587808,-0.8574341936439964,-0.83324234820476,1.8034033230746371]';
SELECT round(predict_probability('four', 'Ä', 0.1875), 12) = round(0.2517497232464905, 12), json_array_length(predict_proba('four', 0.1875));
SELECT predict_probability('four', 'ä', 0.1875);
SELECT predict('tie', -2, 0), decision_function('tie', -2, 0), predict_proba('tie', -2, 0);
SELECT predict('turned', NULL), predict('turned', 0.44140625), round(predict_probability('turned', 0, NULL), 12) = round(0.7595386568746014, 12);
SELECT predict('booleans', 0.53515625, -952), typeof(predict('booleans', 0.53515625, -952)), predict_json('booleans', 0.53515625, -952) ->> 'prediction';
SELECT predict('reals', 0.75390625), typeof(predict('reals', 0.75390625));
SELECT predict('five', 0.65625), decision_function('five', 0.65625) = '[-0.9303833028815891,-0.38119019795354947,"-Infinity",1.3115735008351586,"-Infinity"]', predict_probability('five', 2, 0.65625);
SELECT hbscore_register('named', readfile('test/golden/catboost/threshold_12.json'), '{"classes": ["no", "yes"], "features": ["slope"]}');
SELECT predict('named', '{"slope": null}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/threshold_12.json'), '{"classes": ["no", "yes", "maybe"]}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/rmse_12.json'), '{"classes": ["no", "yes"]}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/multi_logloss_12.json'), '{"classes": ["no", "yes"]}');
SELECT predict_label('plain', 1, 2, 3);

-- : several values
SELECT predict('several', 0);
SELECT predict_values('several', -1.75) = '[0.9387811179305907,1.0396263801838845,2.4205429313953517]';
SELECT decision_function('unsure', 0.31640625) = '[0.2172365283914794,-1.2569615160755934]', json_extract(predict_values('unsure', 0.31640625), '$[0]') = 0.2172365283914794, round(json_extract(predict_values('unsure', 0.31640625), '$[1]'), 12) = round(0.08095004587496944, 12);
SELECT predict_values('flags', 1.1953125), predict_values('flags', NULL), decision_function('flags', 1.1953125) = '[1.7463525712157524,1.8924650174914428]';
SELECT predict_probability('flags', 1, 1.1953125);

-- : rounds, names and formats
SELECT hbscore_register('rounds', readfile('test/golden/catboost/ctr_default_12.json'), '{"rounds": 8}');
SELECT decision_function('rounds', -0.7734375, 'silver', 0.69140625, 'café') = '[-0.41324679143979337]';
SELECT hbscore_register('rounds', readfile('test/golden/catboost/ctr_default_12.json'), '{"rounds": 1}');
SELECT decision_function('rounds', -0.7734375, 'silver', 0.69140625, 'café') <> '[-0.41324679143979337]';
SELECT hbscore_register('bad', readfile('test/golden/catboost/ctr_default_12.json'), '{"rounds": 9}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/ctr_default_12.json'), '{"features": ["a", "b"]}');
SELECT hbscore_register('named', readfile('test/golden/catboost/rmse_12.json'), '{"format": "catboost"}');
SELECT hbscore_register('bad', readfile('test/golden/catboost/rmse_12.json'), '{"format": "xgboost"}');
SELECT hbscore_register('bad', readfile('demo/models/titanic.json'), '{"format": "catboost"}');

-- : what inspect says
SELECT * FROM hbscore_inspect(readfile('test/golden/catboost/threshold_12.json'));
SELECT role, name, type, note FROM hbscore_inspect(readfile('test/golden/catboost/ctr_default_12.json'), '{"rounds": 2}') WHERE role IN ('model', 'operator');
SELECT name FROM hbscore_inspect(readfile('test/golden/catboost/names_12.json')) WHERE role = 'feature';
SELECT role, name, type, note FROM hbscore_inspect(readfile('test/golden/catboost/multi_logloss_12.json')) WHERE role IN ('model', 'output');

CREATE TEMP TABLE source AS SELECT CAST(readfile('test/golden/catboost/rmse_12.json') AS TEXT) AS t;
-- W13: other formats of CatBoost, a text, what follows the end
SELECT hbscore_register('bad', CAST('CBM1' || char(16) AS BLOB));
SELECT hbscore_register('bad', t) FROM source;
SELECT hbscore_register('bad', CAST(t || 'more' AS BLOB)) FROM source;
-- W1: cut short
SELECT hbscore_register('bad', substr(readfile('test/golden/catboost/rmse_12.json'), 1, 5000));
-- : what the file cannot say
SELECT hbscore_register('bad', readfile('test/golden/catboost/embedding_10.json'));
SELECT hbscore_register('bad', readfile('test/golden/catboost/ctr_twice_12.json'));
-- W14: losses
SELECT hbscore_register('bad', CAST(replace(t, '"RMSE"', '"Fancy"') AS BLOB)) FROM source;
SELECT count(*) FROM hbscore_models WHERE name = 'bad';

-- : a categorical feature says so
SELECT name, type, note FROM hbscore_inspect(readfile('test/golden/catboost/ctr_default_12.json')) WHERE role = 'feature';
SELECT name, type, note
FROM hbscore_inspect(readfile('test/golden/catboost/ctr_default_12.json'), '{"on_missing": "error"}')
WHERE role = 'feature' AND type = 'text';
