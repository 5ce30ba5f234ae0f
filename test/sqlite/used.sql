-- Features that no asked output needs: their values are not read, and can be anything.
.nullvalue NULL
-- : two stumps of six features: only b and e are tested
CREATE VIEW stumps AS SELECT json_group_array(json_object('base_weights', json('[0,0,0]'), 'categories', json('[]'),
    'categories_nodes', json('[]'), 'categories_segments', json('[]'), 'categories_sizes', json('[]'), 'default_left', json('[1,0,0]'),
    'id', id, 'left_children', json('[1,-1,-1]'), 'loss_changes', json('[0,0,0]'), 'parents', json('[2147483647,0,0]'),
    'right_children', json('[2,-1,-1]'), 'split_conditions', json('[0.5,-1.25,' || (id + 1) || ']'),
    'split_indices', json('[' || feature || ',0,0]'), 'split_type', json('[0,0,0]'), 'sum_hessian', json('[1,1,1]'),
    'tree_param', json('{"num_deleted":"0","num_feature":"6","num_nodes":"3","size_leaf_vector":"1"}'))) AS trees
FROM (SELECT 0 AS id, 1 AS feature UNION ALL SELECT 1, 4);
CREATE VIEW model AS SELECT objective, CAST('{"learner":{"attributes":{},"feature_names":["a","b","c","d","e","f"],'
    || '"feature_types":["float","float","float","float","float","float"],"gradient_booster":{"model":{"gbtree_model_param":'
    || '{"num_parallel_tree":"1","num_trees":"2"},"iteration_indptr":[0,1,2],"tree_info":[0,0],"trees":' || trees
    || '},"name":"gbtree"},"learner_model_param":{"base_score":"5E-1","boost_from_average":"1","num_class":"0","num_feature":"6",'
    || '"num_target":"1"},"objective":{"name":"' || objective || '","reg_loss_param":{"scale_pos_weight":"1"}}},"version":[2,1,0]}' AS BLOB) AS bytes
FROM stumps, (SELECT 'reg:squarederror' AS objective UNION ALL SELECT 'binary:logistic');
SELECT hbscore_register('two', bytes) FROM model WHERE objective = 'reg:squarederror';
SELECT hbscore_register('yes', bytes, '{"classes": ["no", "yes"]}') FROM model WHERE objective = 'binary:logistic';
CREATE TABLE rows(id INTEGER PRIMARY KEY, a, b, c, d, e, f);
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO rows SELECT i, i, i % 3, i % 5, i % 7, CASE i % 4 WHEN 3 THEN NULL ELSE i % 2 END, i / 2.0 FROM n;
-- : the same with anything in the place of what is not used
CREATE TABLE odd AS SELECT id, 'no number' AS a, b, x'00ff' AS c, 9007199254740993 AS d, e, '' AS f FROM rows;

-- S1: by row, every function, whatever the others are: numbers, texts, blobs, numbers that no double holds
SELECT count(*), count(DISTINCT s), sum(s IS NOT t), sum(s IS NOT u) FROM (SELECT predict('two', r.a, r.b, r.c, r.d, r.e, r.f) AS s,
    predict('two', o.a, o.b, o.c, o.d, o.e, o.f) AS t, predict('two', NULL, o.b, NULL, NULL, o.e, NULL) AS u FROM rows r JOIN odd o USING (id));
SELECT predict('two', x'00', '1', 'no number', 9e999, 0, NULL) = predict('two', 0, 1, 0, 0, 0, 0), predict('two', x'00', 1, '{', '[', NULL, NULL) = predict('two', 0, 1, 0, 0, NULL, 0);
SELECT predict_label('yes', 'x', 1, x'00', 2, 1, 'y'), predict_label('yes', 'x', 0, x'00', 2, 0, 'y'),
    predict_proba('yes', 'x', 1, x'00', 2, 0, 'y') = predict_proba('yes', 0, 1, 0, 0, 0, 0),
    predict_probability('yes', 'yes', 'x', 1, x'00', 2, 0, 'y') = predict_probability('yes', 'yes', 0, 1, 0, 0, 0, 0),
    predict_json('yes', 'x', 1, x'00', 2, 0, 'y') = predict_json('yes', 0, 1, 0, 0, 0, 0),
    decision_function('yes', 'x', 1, x'00', 2, 0, 'y') = decision_function('yes', 0, 1, 0, 0, 0, 0),
    predict_probabilities('yes', 'x', 1, x'00', 2, 0, 'y') = predict_probabilities('yes', 0, 1, 0, 0, 0, 0),
    predict_top('yes', 1, 'x', 1, x'00', 2, 0, 'y') = predict_top('yes', 1, 0, 1, 0, 0, 0, 0);
-- : a model's name that is computed for each row, with functions of other outputs in turn
SELECT count(*) FROM rows WHERE predict(iif(id % 2, 'two', 'two@1'), x'00', b, 'x', 0, e, 'y') IS NOT predict('two', a, b, c, d, e, f);
SELECT count(*) FROM rows WHERE decision_function(iif(id % 2, 'two', 'yes'), x'00', b, 'x', 0, e, 'y') IS NOT decision_function(iif(id % 2, 'two', 'yes'), a, b, c, d, e, f)
    OR predict_label(iif(id % 2, 'yes', 'yes@1'), x'00', b, 'x', 0, e, 'y') IS NOT predict_label('yes', a, b, c, d, e, f);
-- : groups
SELECT count(*) FROM (SELECT predict_agg('two', a, b, c, d, e, f) AS s, id % 10 AS g FROM rows GROUP BY g) JOIN (SELECT predict_agg('two', a, b, c, d, e, f) AS t, id % 10 AS g FROM odd GROUP BY g) USING (g) WHERE s = t AND json_array_length(s) = 150;
SELECT predict_label_agg('yes', a, b, c, d, e, f) = (SELECT predict_label_agg('yes', a, b, c, d, e, f) FROM rows) FROM odd;
-- S1: a value that is used is said to be wrong by its own name
SELECT predict('two', x'00', 'no number', 0, 0, 0, 0);
SELECT predict('two', x'00', 1, 0, 0, x'01', 0);
SELECT predict_agg('two', x'00', 1, 0, 0, x'01', 0);
SELECT prediction FROM hbscore_scan('two', 'SELECT 1, x''00'', 1, 0, 0, x''01'', 0');
SELECT predict('two', 1, 2, 3);

-- S1: scans: the same, and columns by name that are not used must still be there
SELECT count(*), sum(s.prediction IS NOT predict('two', a, b, c, d, e, f)) FROM rows JOIN hbscore_scan('two', 'SELECT * FROM odd') AS s ON s.key = id;
SELECT count(*), sum(s.prediction IS NOT predict_label('yes', a, b, c, d, e, f) OR s.probability IS NOT predict_probability('yes', s.prediction, a, b, c, d, e, f)) FROM rows JOIN hbscore_scan('yes', 'SELECT id, f, e, d, c, b, a FROM odd') AS s ON s.key = id;
SELECT sum(prediction) = (SELECT sum(predict('two', a, b, c, d, e, f)) FROM rows) FROM hbscore_scan('two', 'SELECT * FROM odd');
SELECT * FROM hbscore_scan('two', 'SELECT id, a, b, c, d, e FROM odd');
-- : an expression that is not used is not evaluated; one that is used is
SELECT count(prediction) FROM hbscore_scan('two', 'SELECT id, abs(-9223372036854775807 - id / id) AS a, b, c, d, e, f FROM rows');
SELECT count(prediction) FROM hbscore_scan('two', 'SELECT id, a, abs(-9223372036854775807 - id / id) AS b, c, d, e, f FROM rows');
SELECT count(key) FROM hbscore_scan('two', 'SELECT id, a, abs(-9223372036854775807 - id / id) AS b, c, d, e, f FROM rows');
SELECT group_concat(key) FROM hbscore_scan('two', 'SELECT id, abs(-9223372036854775807 - id / id) AS a, b, c, d, e, f FROM rows WHERE id < 9 ORDER BY c DESC, id') WHERE prediction > -9;
-- : nor is a table read that only these would need
CREATE TABLE far(id INTEGER PRIMARY KEY, c, e);
INSERT INTO far SELECT id, c, e FROM rows;
SELECT count(prediction) FROM hbscore_scan('two', 'SELECT r.id, a, b, far.c, d, r.e, f FROM rows r LEFT JOIN far ON far.id = r.id + abs(-9223372036854775807 - r.id / r.id)');
SELECT count(prediction) FROM hbscore_scan('two', 'SELECT r.id, a, b, r.c, d, far.e, f FROM rows r LEFT JOIN far ON far.id = r.id + abs(-9223372036854775807 - r.id / r.id)');
-- : every kind of query: its order, its limit, its own WITH, compounds, VALUES, DISTINCT, groups, windows, comments
SELECT group_concat(key) FROM hbscore_scan('two', 'SELECT id, a, b, c, d, e, f FROM rows ORDER BY c DESC, f DESC LIMIT 5 -- the last');
SELECT group_concat(key) FROM (SELECT key, prediction FROM hbscore_scan('two', 'SELECT id, a, b, c, d, e, f FROM rows WHERE id < 9 ORDER BY d DESC, f') WHERE prediction > -9);
SELECT group_concat(key), sum(prediction) = predict('two', 0, 2, 0, 0, NULL, 0) + predict('two', 0, 0, 0, 0, 0, 0) FROM hbscore_scan('two', 'VALUES (1, ''x'', 2, x''00'', NULL, NULL, 1), (2, 7, 0, 7, 7, 0, ''y'')');
SELECT count(*), sum(prediction) FROM hbscore_scan('two', 'SELECT DISTINCT b, a % 4, b, c, 0, e, 0 FROM rows');
SELECT (SELECT count(*) FROM (SELECT DISTINCT b, a % 4, b, c, 0, e, 0 FROM rows)) = (SELECT count(*) FROM hbscore_scan('two', 'SELECT DISTINCT b, a % 4, b, c, 0, e, 0 FROM rows') WHERE prediction < 99);
SELECT count(*), sum(prediction) = (SELECT 2 * sum(predict('two', a, b, c, d, e, f)) FROM rows) FROM hbscore_scan('two', 'SELECT id, a, b, c, d, e, f FROM rows UNION ALL SELECT id, ''x'', b, ''y'', d, e, x''00'' FROM rows');
SELECT count(prediction) = 3 FROM hbscore_scan('two', 'SELECT 1, 1, 1, 1, 1, 1, 1 UNION SELECT 1, 2, 1, 1, 1, 1, 1 UNION SELECT 1, 1, 1, 1, 1, 1, 1 UNION SELECT 1, 1, 1, 2, 1, 1, 1');
SELECT count(*), sum(prediction) FROM hbscore_scan('two', 'WITH q(id, a, b, c, d, e, f) AS (SELECT * FROM rows WHERE id < 4), k AS (SELECT id AS i FROM q) SELECT q.* FROM q JOIN k ON i = id');
SELECT count(*) FROM hbscore_scan('two', 'SELECT b, max(a) AS a, b, count(*) AS c, sum(d) AS d, min(e) AS e, max(f) AS f FROM rows GROUP BY b, e') WHERE prediction IS NOT NULL;
SELECT group_concat(key || ' ' || prediction, ', ') FROM hbscore_scan('two', 'SELECT id, sum(a) OVER w AS a, lag(b) OVER w AS b, rank() OVER w AS c, d, lead(e) OVER w AS e, f FROM rows WHERE id < 6 WINDOW w AS (ORDER BY id)');
SELECT group_concat(prediction = predict('two', 0, 1, 0, 0, 0, 0)) FROM hbscore_scan('two', 'SELECT 0, 5 AS x, 1 AS x, 5 AS x, 5 AS x, 0 AS x, 5 AS x');
SELECT prediction FROM hbscore_scan('two', 'SELECT id, nix AS a, b, c, d, e, f FROM rows');
-- : while the rows are changed
CREATE TABLE kept(id INTEGER PRIMARY KEY, s);
INSERT INTO kept SELECT key, prediction FROM hbscore_scan('two', 'SELECT id, a, b, c, d, e, f FROM odd');
UPDATE odd SET a = s.prediction FROM hbscore_scan('two', 'SELECT id, a, b, c, d, e, f FROM odd') AS s WHERE s.key = odd.id;
SELECT count(*), sum(s IS NOT predict('two', rows.a, rows.b, rows.c, rows.d, rows.e, rows.f)), sum(s IS NOT odd.a) FROM kept JOIN rows USING (id) JOIN odd USING (id);

-- S1: a virtual table reads the used columns of its source, and those that the query asks for
CREATE VIEW source AS SELECT id, abs(-9223372036854775807 - id / id) AS a, b, c || 'x' AS c, d, e, f FROM rows;
CREATE VIRTUAL TABLE scored USING hbscore(model='two', source='source');
SELECT count(*), sum(prediction) = (SELECT sum(predict('two', a, b, c, d, e, f)) FROM rows) FROM scored;
SELECT id, c, prediction = predict('two', a, b, c, d, e, f) FROM (SELECT id, 0 AS a, b, c, 0 AS d, e, 0 AS f, prediction FROM scored) LIMIT 2;
SELECT a FROM scored LIMIT 1;
SELECT a, prediction FROM scored LIMIT 1;
CREATE VIRTUAL TABLE scored_odd USING hbscore(model='yes', source='odd');
SELECT count(*), sum(s.prediction IS NOT predict_label('yes', r.a, r.b, r.c, r.d, r.e, r.f) OR s.probability IS NOT predict_probability('yes', s.prediction, r.a, r.b, r.c, r.d, r.e, r.f)) FROM rows r JOIN scored_odd s USING (id);
SELECT count(*) FROM scored_odd s WHERE s.prediction = 'yes' AND s.c = x'00ff' AND s.e = 1;
SELECT hex(c), typeof(d), prediction FROM scored_odd WHERE id IN (1, 2) ORDER BY id DESC;
SELECT count(x.prediction) FROM rows r JOIN scored_odd x ON x.id = r.id OR x.b = r.id + 1e9 WHERE r.id < 30;

-- S1: a new version with other features that are used is served at once
SELECT hbscore_register('two', CAST(replace(CAST(bytes AS TEXT), '"split_indices":[1,0,0]', '"split_indices":[3,0,0]') AS BLOB)) FROM model WHERE objective = 'reg:squarederror';
SELECT predict('two', 0, 1, 0, 0, 0, 0) = predict('two@1', 0, 0, 0, 0, 0, 0), predict('two', 0, 'x', 0, 1, 0, 0) = predict('two@1', 0, 1, 0, 0, 0, 0);
SELECT count(*), sum(prediction IS NOT predict('two', r.a, r.b, r.c, r.d, r.e, r.f)) FROM scored JOIN rows r USING (id);
SELECT count(*) FROM hbscore_scan('two', 'SELECT id, ''x'' AS a, ''y'' AS b, ''z'' AS c, d, e, ''f'' AS f FROM rows') AS s JOIN rows r ON r.id = s.key WHERE s.prediction IS predict('two', r.a, r.b, r.c, r.d, r.e, r.f);
SELECT prediction FROM hbscore_scan('two', 'SELECT id, ''x'' AS a, ''y'' AS b, ''z'' AS c, ''no number'' AS d, e, ''f'' AS f FROM rows');
