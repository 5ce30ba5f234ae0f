-- hbscore_inspect: what a model's bytes take, give and are; they need not be registered.
.nullvalue NULL
.mode list
-- : a classifier with texts
SELECT * FROM hbscore_inspect(readfile('demo/models/titanic.json'), '{"classes": ["died", "survived"]}');
-- : three classes, from UBJSON
SELECT role, count(*), group_concat(name, ', ') FROM hbscore_inspect(readfile('demo/models/wine.ubj')) GROUP BY role ORDER BY min(rowid);
-- : options are those of a registration
SELECT name FROM hbscore_inspect(readfile('demo/models/cancer.json'), '{"classes": [false, true]}') WHERE role = 'class';
SELECT count(*) FROM hbscore_inspect(readfile('demo/models/cancer.json'), NULL);
SELECT * FROM hbscore_inspect(readfile('demo/models/cancer.json'), '{"color": 1}');
SELECT * FROM hbscore_inspect(readfile('demo/models/cancer.json'), 5);
-- S2: a NULL is no model; the arguments are needed
SELECT count(*) FROM hbscore_inspect(NULL);
SELECT count(*) FROM hbscore_inspect(readfile('no such file'));
SELECT * FROM hbscore_inspect;
SELECT * FROM hbscore_inspect(options) WHERE 0;
-- S2: what is no blob
SELECT * FROM hbscore_inspect('{}');
SELECT * FROM hbscore_inspect(1);
SELECT * FROM hbscore_inspect(x'');
SELECT * FROM hbscore_inspect(x'00');
SELECT * FROM hbscore_inspect(substr(readfile('demo/models/cancer.json'), 1, 1000));
SELECT * FROM hbscore_inspect(x'00', x'00', x'00');
-- : joined with stored models, in either order, also as arguments in WHERE
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj')), hbscore_register('cancer', readfile('demo/models/cancer.json'), '{"classes": ["malignant", "benign"]}');
SELECT m.name, i.name FROM hbscore_models AS m, hbscore_inspect(m.model, m.options) AS i WHERE i.role = 'class' ORDER BY 1, 2;
SELECT m.name, count(*) FROM hbscore_inspect AS i, hbscore_models AS m WHERE i.role = 'feature' AND i.model = m.model GROUP BY 1;
SELECT count(*) FROM hbscore_models AS m WHERE EXISTS (SELECT 1 FROM hbscore_inspect(m.model) WHERE name = 'proline');
SELECT count(*) FROM hbscore_models AS m LEFT JOIN hbscore_inspect(m.model) AS i ON i.role = 'none';
-- : a stored model by its reference, with its own options
SELECT group_concat(name) FROM hbscore_inspect('cancer') WHERE role = 'class';
SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'), '{"classes": ["bad", "good"]}'), hbscore_deploy('cancer', 1, 'champion');
SELECT r, group_concat(i.name) FROM (SELECT 'cancer' AS r UNION ALL VALUES ('cancer@1'), ('cancer@2'), ('cancer@champion'), ('wine@1')) AS x, hbscore_inspect(r) AS i WHERE i.role = 'class' GROUP BY r;
SELECT (SELECT group_concat(role || name || type || note) FROM hbscore_inspect('wine')) = (SELECT group_concat(role || name || type || note) FROM hbscore_inspect(readfile('demo/models/wine.ubj'))) AS same;
-- S1: references that find nothing, options beside one, bytes without their cast
SELECT * FROM hbscore_inspect('canser');
SELECT * FROM hbscore_inspect('nope');
SELECT * FROM hbscore_inspect('cancer@9');
SELECT * FROM hbscore_inspect('cancer@challenger');
SELECT * FROM hbscore_inspect('');
SELECT * FROM hbscore_inspect('cancer', '{}');
SELECT * FROM hbscore_inspect(CAST(readfile('demo/models/cancer.json') AS TEXT));
SELECT hbscore_drop('cancer', 2);
SELECT * FROM hbscore_inspect('cancer@2');
SELECT count(*) > 0 FROM hbscore_models AS m, hbscore_inspect(m.model, m.options) AS i;
SELECT count(*) > 0 FROM hbscore_models AS m, hbscore_inspect(m.model, m.options) AS i WHERE m.model IS NOT NULL;
-- : read only, and made by nobody
CREATE VIRTUAL TABLE v USING hbscore_inspect;
INSERT INTO hbscore_inspect(role) VALUES ('x');
DROP TABLE hbscore_inspect;
-- : the private table is empty and of no use
SELECT count(*) FROM hbscore_private;
