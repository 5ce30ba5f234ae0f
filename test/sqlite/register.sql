-- hbscore_register and hbscore_drop: versions, what is stored, what is refused.
.nullvalue NULL
.mode list

-- : the first registration makes the table; versions count up by name
SELECT count(*) FROM sqlite_schema;
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"classes": ["barolo", "grignolino", "barbera"]}');
SELECT hbscore_register('cancer', readfile('demo/models/cancer.json'), NULL);
SELECT type, name FROM sqlite_schema;

-- : what is stored: the digest is that of the file, as sha256sum prints it
SELECT name, version, format, length(model), options, description, created_by, created_at LIKE '20__-__-__ __:__:__'
FROM hbscore_models;
SELECT model = readfile('demo/models/wine.ubj'), length(sha256), sha256 = lower(sha256) FROM hbscore_models WHERE name = 'wine';
.once sums
SELECT sha256 || '  demo/models/wine.ubj' FROM hbscore_models WHERE name = 'wine' AND version = 1;
.shell sha256sum --check --quiet sums && echo the digest is right

-- : description and format come out of the options
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"description": "Größe, \"quoted\"", "format": "xgboost"}');
SELECT format, description, options FROM hbscore_models WHERE version = 3;

-- : refused, and nothing changes
SELECT hbscore_register('wine', x'7b7d');
SELECT hbscore_register('wine', substr(readfile('demo/models/wine.ubj'), 1, 60000));
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"colour": "red"}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 10');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"rounds": 51}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"classes": ["barolo", "barbera"]}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"classes": ["a", "b", "a"]}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"format": "pickle"}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), '{"format": "xgboost-json"}');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), 5);
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'), x'7b7d');
SELECT name, max(version) FROM hbscore_models GROUP BY name;

-- S2: what is no blob, with the way to make one
SELECT hbscore_register('wine', readfile('no such file'));
SELECT hbscore_register('wine', '{"learner": {}}');
SELECT hbscore_register('wine', 17);
SELECT hbscore_register('wine', x'');
SELECT hbscore_register('text', CAST(CAST(readfile('demo/models/cancer.json') AS TEXT) AS BLOB));

-- S1: too few and too many arguments
SELECT hbscore_register('wine');
SELECT hbscore_register('wine', x'00', '{}', 4);
SELECT hbscore_drop();

-- : dropping a version keeps its row and its number
SELECT hbscore_drop('wine', 3);
SELECT version, model IS NULL FROM hbscore_models WHERE name = 'wine';
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT predict('wine@3', '[1,2,3,4,5,6,7,8,9,10,11,12,13]');
SELECT hbscore_drop('wine', 3);
SELECT hbscore_drop('wine', 9);

-- : dropping all versions of a model gives their number; the numbers stay used
SELECT hbscore_drop('wine');
SELECT hbscore_drop('wine');
SELECT predict('wine', '[1,2,3,4,5,6,7,8,9,10,11,12,13]');
SELECT hbscore_register('wine', readfile('demo/models/wine.ubj'));
SELECT name, version, model IS NULL FROM hbscore_models ORDER BY name, version;

-- S2: a version is an integer; a NULL is not "all versions"
SELECT hbscore_drop('wine', NULL);
SELECT hbscore_drop('wine', '5');
SELECT hbscore_drop('wine', 0);
SELECT hbscore_drop('wine', -1);
SELECT hbscore_drop('wine', 9223372036854775807);
SELECT hbscore_drop('wine@5');
SELECT hbscore_drop(NULL);
SELECT hbscore_drop('win');

-- : several models in one statement
CREATE TABLE files(name, path);
INSERT INTO files VALUES ('a', 'demo/models/cancer.json'), ('b', 'demo/models/titanic.json');
CREATE TABLE log AS SELECT name, hbscore_register(name, readfile(path)) AS version FROM files;
SELECT * FROM log;

-- L6: version numbers that cannot go on
UPDATE hbscore_models SET version = 2147483647 WHERE name = 'a';
SELECT hbscore_register('a', readfile('demo/models/cancer.json'));
UPDATE hbscore_models SET version = 'x' WHERE name = 'b';
SELECT hbscore_register('b', readfile('demo/models/cancer.json'));
SELECT predict('b', '[]');
