-- Names of models with anything in them that a name may have, and those that no model may have.
.nullvalue NULL
CREATE TABLE wine AS SELECT '[14.23,1.71,2.43,15.6,127.0,2.8,3.06,0.28,2.29,5.64,1.04,3.92,1065.0]' AS row;
-- S7: quotes, dots, spaces, SQL, other scripts, 255 bytes
CREATE TABLE names(n);
INSERT INTO names VALUES ('it''s'), ('"quoted"'), ('a.b.c'), (' '), ('''; DROP TABLE wine; --'), ('%s%n%d'), ('日本語'), ('naïve'),
    ('🍷'), ('123'), ('null'), ('\'), ('{"a": 1}'), ('[1]'), (printf('%.*c', 255, 'x'));
SELECT sum(hbscore_register(n, readfile('demo/models/wine.ubj'))) = count(*) FROM names;
SELECT count(*), sum(predict_json(n, row) ->> 'model' = n || '@1'), sum(json_valid(predict_json(n || '@1', row))) FROM names, wine;
SELECT predict('%s%n', row) FROM wine;
SELECT predict('"quoted"', 1);
SELECT sum(hbscore_drop(n)) = count(*) FROM names;
-- S7: refused
SELECT hbscore_register('', readfile('demo/models/wine.ubj'));
SELECT hbscore_register(printf('%.*c', 256, 'x'), readfile('demo/models/wine.ubj'));
SELECT hbscore_register('a@b', readfile('demo/models/wine.ubj'));
SELECT hbscore_register('a#b', readfile('demo/models/wine.ubj'));
SELECT hbscore_register('a' || char(9) || 'b', readfile('demo/models/wine.ubj'));
SELECT hbscore_register('a' || char(127), readfile('demo/models/wine.ubj'));
SELECT hbscore_register('a' || char(0) || 'b', readfile('demo/models/wine.ubj'));
SELECT hbscore_register(CAST(x'61ff' AS TEXT), readfile('demo/models/wine.ubj'));
SELECT hbscore_register(CAST(x'eda080' AS TEXT), readfile('demo/models/wine.ubj'));
SELECT hbscore_register(CAST(x'c0af' AS TEXT), readfile('demo/models/wine.ubj'));
SELECT hbscore_register(CAST(x'f4908080' AS TEXT), readfile('demo/models/wine.ubj'));
SELECT hbscore_register(CAST(x'e282' AS TEXT), readfile('demo/models/wine.ubj'));
SELECT hbscore_register(5, readfile('demo/models/wine.ubj'));
SELECT hbscore_register(x'61', readfile('demo/models/wine.ubj'));
-- S7: 10 MB of name, reference, setting
SELECT hbscore_register(printf('%.*c', 10000000, 'x'), readfile('demo/models/wine.ubj'));
SELECT predict(printf('%.*c', 10000000, 'x'), 1);
SELECT predict('m@' || printf('%.*c', 10000000, '1'), 1);
SELECT predict(printf('%.*c', 10000000, '@'), 1);
SELECT hbscore_drop(printf('%.*c', 10000000, 'x'));
SELECT hbscore_get(printf('%.*c', 10000000, 'x'));
SELECT predict(replace(printf('%.*c', 100, 'x'), 'x', 'ü'), 1);
SELECT count(*) FROM hbscore_models WHERE model IS NOT NULL;
