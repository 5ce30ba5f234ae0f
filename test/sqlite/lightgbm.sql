-- LightGBM's models. The scores that stand here are the library's, from test/golden/lightgbm: each comparison gives 1.
.nullvalue NULL
.mode list
SELECT hbscore_register('text', readfile('test/golden/lightgbm/pandas_text_47.txt'));
SELECT hbscore_register('numbers', readfile('test/golden/lightgbm/pandas_numbers_47.txt'));
SELECT hbscore_register('ordered', readfile('test/golden/lightgbm/pandas_ordered_47.txt'));
SELECT hbscore_register('codes', readfile('test/golden/lightgbm/codes_47.txt'));
SELECT hbscore_register('two', readfile('test/golden/lightgbm/classifier_early_stop_47.txt'), '{"classes": ["no", "yes"]}');
SELECT hbscore_register('three', readfile('test/golden/lightgbm/classifier_47.txt'), '{"classes": ["a b", "bé", "c"]}');
SELECT hbscore_register('tie', readfile('test/golden/lightgbm/binary_tie_47.txt'));
SELECT hbscore_register('several', readfile('test/golden/lightgbm/custom_three_47.txt'));
SELECT hbscore_register('forest', readfile('test/golden/lightgbm/rf_47.txt'));
SELECT hbscore_register('linear', readfile('test/golden/lightgbm/linear_47.txt'));
SELECT hbscore_register('rank', readfile('test/golden/lightgbm/ranker_47.txt'));
SELECT hbscore_register('names', readfile('test/golden/lightgbm/names_47.txt'));
SELECT name, version, format, length(model) > 1000 FROM hbscore_models;

-- : by position, as a JSON array and by name
SELECT decision_function('text', 0.3359375, 'gold', 0.75, 'basic-2') = '[0.6034098597811088]';
SELECT decision_function('text', '[0.3359375, "gold", 0.75, "basic-2"]') = '[0.6034098597811088]';
SELECT decision_function('text', '{"color": "basic-2", "plan": "gold", "AGE": 0.3359375, "monthly_fee": 0.75, "x": 1}') = '[0.6034098597811088]';
SELECT predict('text', 0.3359375, 'gold', 0.75, 'basic-2') = 0.6034098597811088;
SELECT predict_json('text', '{"color": "basic-2", "plan": "gold", "age": 0.3359375, "monthly_fee": 0.75}');
-- S1: counts
SELECT predict('text', 1, 'gold', 2);
SELECT predict('text', '[1, "gold", 2, "gold-2", 3]');
SELECT predict('text', '{"age": 1, "plan": "gold", "color": "gold-2"}');
-- S2: types
SELECT predict('text', 'old', 'gold', 1, 'gold-2');
SELECT predict('text', 1, x'676f6c64', 1, 'gold-2');
SELECT predict('codes', 1, 1, 'one', 1, 1, 1);
-- : a space of the training's name is _ in the file
SELECT predict('names', '{"monthly fee": 1, "a=b": 2, "Tree=0": 3, "x.y/z": 4, "it''s": 5, "50%": 6}');
SELECT predict('names', '{"monthly_fee": 1, "a=b": 2, "Tree=0": 3, "x.y/z": 4, "it''s": 5, "50%": 6}') IS NOT NULL;

-- S3: NULL and NaN; the way that was learnt, 0 where training had none, NULL where 0 is missing
SELECT decision_function('text', NULL, NULL, NULL, NULL) = '[0.511833030951433]';
SELECT decision_function('text', '{"age": null, "plan": null, "monthly_fee": null, "color": null}') = '[0.511833030951433]';
SELECT decision_function('text', 'nan', NULL, 'NaN', NULL) = '[0.511833030951433]';
SELECT decision_function('codes', NULL, NULL, NULL, NULL, NULL, NULL) = '[-0.584037968859527]';
SELECT hbscore_register('zero', readfile('test/golden/lightgbm/missing_none_47.txt'));
SELECT decision_function('zero', NULL, NULL, NULL, NULL) = '[0.5119149678405447]', decision_function('zero', 0, -0.0, 0, 0) = '[0.5119149678405447]';
SELECT hbscore_register('zero', readfile('test/golden/lightgbm/missing_zero_47.txt'));
SELECT decision_function('zero', NULL, NULL, NULL, NULL) = '[0.24975869316381996]', decision_function('zero', 0, 0, 0, 1e-35) = '[0.24975869316381996]';
SELECT decision_function('zero', -2e-35, -2e-35, -2e-35, -2e-35) = '[-0.03283882421318782]';
SELECT predict(NULL, 1), predict('text', json(NULL));
-- S3: the option missing is a number more; on_missing has nothing to do
SELECT hbscore_register('text', readfile('test/golden/lightgbm/pandas_text_47.txt'), '{"missing": -999, "on_missing": "error"}');
SELECT decision_function('text', -999, NULL, -999, NULL) = '[0.511833030951433]';
SELECT hbscore_drop('text', 2);
-- S4: infinities, large numbers; a linear tree's infinite terms are no number
SELECT decision_function('text', 9e999, 'silver', 9e999, 'gold-2') = '[2.4958542370385794]';
SELECT decision_function('text', -9e999, 'gold', -9e999, 'basic-2') = '[-0.2501584819322402]';
SELECT decision_function('two', 16777217, 16777217, 16777217) = '[1.8323161437236584]';
SELECT decision_function('linear', 0.875, 17.75, NULL, -1) = '[1.3014601105309682]', predict('linear', 9e999, 9e999, 9e999, 9e999);
SELECT decision_function('linear', 1e300, 1e300, 1e300, 1e300) = '[4.0489306689963935e+301]';

-- S5: unseen categories are missing, as the library has it, or as on_unseen says
SELECT decision_function('text', -0.875, 'mmm', 2.328125, 'gold-2') = '[0.7680019945026931]', decision_function('text', -0.875, NULL, 2.328125, 'gold-2') = '[0.7680019945026931]';
SELECT decision_function('text', 0.22265625, NULL, 1.0234375, '~~~') = '[0.7680019945026931]';
SELECT hbscore_register('text', readfile('test/golden/lightgbm/pandas_text_47.txt'), '{"on_unseen": "error"}');
SELECT predict('text', -0.875, 'mmm', 2.328125, 'gold-2');
SELECT hbscore_register('text', readfile('test/golden/lightgbm/pandas_text_47.txt'), '{"on_unseen": "null"}');
SELECT predict('text', -0.875, 'mmm', 2.328125, 'gold-2'), predict('text', 0.3359375, 'gold', 0.75, 'basic-2') = 0.6034098597811088;
-- S5: categories that are numbers, with fractions, booleans; a whole number in every form
SELECT predict('numbers', 1, 2, 3, 0.25, 1) = predict('numbers', '[1, 2, 3.0, 0.25, true]'), predict('numbers', 1, 2, '3', '0.25', '1') = predict('numbers', 1, 2, 3, 0.25, 1);
SELECT predict('numbers', 1, 2, 3.5, 0.25, 1) = predict('numbers', 1, 2, NULL, 0.25, 1), predict('numbers', 1, 2, 3, 0.26, 1) = predict('numbers', 1, 2, 3, NULL, 1);
SELECT predict('numbers', 1, 2, 'three', 0.25, 1);
-- S5: codes: fractions are cut off, what no split lists goes right, as a missing value does
SELECT decision_function('codes', 3, 0.6171875, 10, -2.5, 38, -0.75) = '[-1.7711428125315418]', decision_function('codes', 3.9, 0.6171875, 10.5, -2.5, 38.1, -0.75) = '[-1.7711428125315418]';
SELECT predict('codes', -1, 0, 1e300, 0, 9999, 0) = predict('codes', NULL, 0, NULL, 0, NULL, 0);
-- S5: more lists than categorical features: codes only
SELECT predict('ordered', 1, 'gold', 2, 'gold-2');
SELECT predict('ordered', 1, 1, 2, 1) IS NOT NULL;

-- : classes, labels and ties
SELECT predict('two', 0.26171875, 400, NULL), predict_label('two', 0, 0, 0), decision_function('two', 0, 0, 0) = '[0.09555855154061774]';
SELECT abs(predict_probability('two', 'no', 0, 0, 0) - 0.47612852442338416) < 1e-15, abs(predict_probability('two', 'yes', 0, 0, 0) - 0.5238714755766158) < 1e-15;
SELECT predict_probability('two', 'maybe', 0, 0, 0);
SELECT predict_probability('two', 1, 0, 0, 0);
SELECT predict('three', 0, 0, 0), predict('three', -9e999, -9e999, -9e999), predict('three', 9e999, 9e999, 9e999);
SELECT decision_function('three', 0, 0, 0) = '[-1.020101398163027,-1.038412061327141,-1.5433744344490319]';
SELECT json_array_length(predict_proba('three', 0, 0, 0)), abs(predict_probability('three', 'bé', 0, 0, 0) - 0.3813871455690233) < 1e-15;
SELECT predict('tie', 1, 2, 3), typeof(predict('tie', 1, 2, 3)), predict_proba('tie', 1, 2, 3);
SELECT predict_probability('tie', '1', 1, 2, 3), predict_probability('tie', 1, 1, 2, 3);
SELECT predict_values('two', 0, 0, 0);
SELECT predict_label('text', 0, 'gold', 0, 'gold-2');
SELECT predict_proba('rank', 0, 0, 0);
SELECT hbscore_register('two', readfile('test/golden/lightgbm/classifier_early_stop_47.txt'), '{"classes": ["no", "yes", "maybe"]}');
SELECT hbscore_register('rank', readfile('test/golden/lightgbm/ranker_47.txt'), '{"classes": ["no", "yes"]}');

-- : several raw scores, which nothing transforms
SELECT predict('several', 0, 0, 0);
SELECT predict_values('several', NULL, NULL, NULL) = '[-0.10765676939166784,-0.12137742071001822,0.6043826849227351]';
SELECT predict_json('several', NULL, NULL, NULL);

-- : rounds, and what a random forest divides by
SELECT decision_function('forest', 1.171875, 216, NULL) = '[9.365864138128927]', predict('forest', 1.171875, 216, NULL) = 1.3379805911612752;
SELECT hbscore_register('rounds', readfile('test/golden/lightgbm/rounds_47.txt'), '{"rounds": 3}');
SELECT decision_function('rounds', 0, -960, NULL) = '[-0.023251306160700105]';
SELECT hbscore_register('rounds', readfile('test/golden/lightgbm/early_stop_all_47.txt'), '{"rounds": 5}');
SELECT decision_function('rounds', NULL, 1520, NULL) = '[0.1854619339483331]';
SELECT hbscore_register('rounds', readfile('test/golden/lightgbm/rounds_47.txt'), '{"rounds": 9}');
SELECT hbscore_register('none', readfile('test/golden/lightgbm/zero_trees_47.txt'));
SELECT predict('none', 1, 2, 3);

-- : names of the options
SELECT hbscore_register('named', readfile('test/golden/lightgbm/classifier_early_stop_47.txt'), '{"features": ["change", "calls", "slope"], "format": "lightgbm"}');
SELECT predict('named', '{"change": 0.26171875, "calls": 400, "slope": null}');
SELECT hbscore_register('named', readfile('test/golden/lightgbm/classifier_early_stop_47.txt'), '{"features": ["change", "calls"]}');
SELECT hbscore_register('named', readfile('test/golden/lightgbm/classifier_early_stop_47.txt'), '{"format": "xgboost"}');
SELECT hbscore_register('named', readfile('demo/models/titanic.json'), '{"format": "lightgbm"}');

-- : what inspect says
SELECT * FROM hbscore_inspect(readfile('test/golden/lightgbm/pandas_mixed_47.txt'));
SELECT * FROM hbscore_inspect(readfile('test/golden/lightgbm/rf_binary_47.txt'), '{"rounds": 2, "missing": -1}') WHERE role <> 'feature';
SELECT role, name, type, note FROM hbscore_inspect(readfile('test/golden/lightgbm/custom_three_47.txt')) WHERE role IN ('model', 'output');
SELECT name FROM hbscore_inspect(readfile('test/golden/lightgbm/names_accents_47.txt')) WHERE role = 'feature';
SELECT name, type, note FROM hbscore_inspect(readfile('test/golden/lightgbm/pandas_ordered_47.txt')) WHERE role = 'feature';

CREATE TEMP TABLE source AS SELECT CAST(readfile('test/golden/lightgbm/rf_47.txt') AS TEXT) AS t;
-- W1: cut short: the last tree is there or the file is refused
SELECT hbscore_register('bad', substr(readfile('test/golden/lightgbm/rf_47.txt'), 1, 4));
SELECT hbscore_register('bad', substr(readfile('test/golden/lightgbm/rf_47.txt'), 1, 100));
SELECT hbscore_register('bad', substr(readfile('test/golden/lightgbm/rf_47.txt'), 1, 2000));
-- W13: text, not bytes; other line ends; what follows the end
SELECT hbscore_register('bad', t) FROM source;
SELECT hbscore_register('bad', CAST(replace(t, char(10), char(13, 10)) AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(t || 'more' AS BLOB)) FROM source;
-- W13: LightGBM's JSON, and a pickle
SELECT hbscore_register('bad', CAST('{"name": "tree", "version": "v4"}' AS BLOB));
SELECT hbscore_register('bad', x'80049500');
-- W2: a list of categories that cannot be that column's: codes only
SELECT type FROM source, hbscore_inspect(CAST(replace(CAST(readfile('test/golden/lightgbm/pandas_text_47.txt') AS TEXT), '-1:2:0:1', '-1:3:0:1') AS BLOB)) WHERE role = 'feature';
-- W14: versions, objectives, keys
SELECT hbscore_register('bad', CAST(replace(t, 'version=v4', 'version=v5') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(t, 'version=v4', 'version=v2') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(t, 'objective=regression', 'objective=fancy') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(t, 'num_class=1', 'num_classes=1') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(t, 'label_index=0', 'label_index=0' || char(10) || 'label_index=0') AS BLOB)) FROM source;
-- W2: counts that do not agree
SELECT hbscore_register('bad', CAST(replace(t, 'num_leaves=5', 'num_leaves=2000000000') AS BLOB)) FROM source;
SELECT hbscore_register('bad', CAST(replace(t, 'max_feature_idx=2', 'max_feature_idx=2000000000') AS BLOB)) FROM source;
SELECT count(*) FROM hbscore_models WHERE name = 'bad';
