-- Versions, aliases, deploy, roll back, drop, pin.

CREATE VIEW now_scores AS SELECT predict_json('v', w.*) ->> 'model' AS model FROM wine AS w WHERE id = 1;
CREATE VIEW stored AS SELECT version, model IS NULL AS dropped, options FROM hbscore.models WHERE name = 'v' ORDER BY version;
CREATE VIEW named AS SELECT alias, version FROM hbscore.aliases WHERE name = 'v' ORDER BY alias;

-- : the newest, until one is deployed
SELECT hbscore.register('v', file('demo/models/wine.ubj'));
SELECT * FROM now_scores;
SELECT hbscore.register('v', file('demo/models/wine.ubj'), options => '{"rounds": 20}');
SELECT * FROM now_scores;
SELECT hbscore.deploy('v', 1);
SELECT * FROM now_scores;
SELECT hbscore.register('v', file('demo/models/wine.ubj'), options => '{"rounds": 5}');
SELECT * FROM now_scores;
SELECT hbscore.deploy('v', 3);
SELECT * FROM now_scores;
-- : back again
SELECT hbscore.deploy('v', 1);
SELECT * FROM now_scores;
-- : aliases beside
SELECT hbscore.deploy('v', 2, 'champion'), hbscore.deploy('v', 3, alias => 'challenger'), hbscore.deploy('v', 3, 'Größe 1');
SELECT * FROM named;
SELECT predict_json('v', w.*) ->> 'model' AS plain, predict_json('v@default', w.*) ->> 'model' AS deployed, predict_json('v@champion', w.*) ->> 'model' AS champion,
    predict_json('v@challenger', w.*) ->> 'model' AS challenger, predict_json('v@Größe 1', w.*) ->> 'model' AS other, predict_json('v@2', w.*) ->> 'model' AS two
FROM wine AS w WHERE id = 1;
SELECT count(*), sum((predict_proba('v@champion', w.*) = predict_proba('v@2', w.*))::int) AS champion, sum((predict_proba('v', w.*) = predict_proba('v@1', w.*))::int) AS deployed,
    sum((predict_proba('v', w.*) = predict_proba('v@3', w.*))::int) AS other FROM wine AS w;
-- : the table itself may be written, by who may
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('v', 'by hand', 2);
UPDATE hbscore.aliases SET version = 1 WHERE alias = 'by hand' RETURNING name, version;
DELETE FROM hbscore.aliases WHERE alias = 'by hand' RETURNING version;
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('v', '17', 2);
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('v@1', 'x', 2);
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('v', 'zero', 0);
UPDATE hbscore.aliases SET version = -5 WHERE name = 'v' AND alias = 'champion';
UPDATE hbscore.aliases SET alias = 'a@b' WHERE name = 'v' AND alias = 'champion';

-- : a version that waits: the name goes on to mean the newest of the others, until it is deployed
SELECT hbscore.register('w', file('demo/models/wine.ubj')), hbscore.register('w', file('demo/models/wine.ubj'), '{"deploy": false, "rounds": 20}');
SELECT predict_json('w', w.*) ->> 'model' AS name, predict_json('w@2', w.*) ->> 'model' AS version FROM wine AS w WHERE id = 1;
INSERT INTO hbscore.models (name, model, options) VALUES ('w', file('demo/models/wine.ubj'), '{"deploy": false}') RETURNING version, options;
SELECT hbscore.register('w', file('demo/models/wine.ubj'), '{"description": "\"deploy\": false"}'), hbscore.register('w', file('demo/models/wine.ubj'), '{"deploy": false}');
SELECT left(hbscore.pin('w')::text, 4) AS name, (SELECT count(*) FROM hbscore.verify('w')) AS versions;
SELECT hbscore.drop('w', 4), left(hbscore.pin('w')::text, 4) AS name;
SELECT left(hbscore.pin('w')::text, 4) AS name;
SELECT hbscore.deploy('w', 3), hbscore.deploy('w', 5, 'challenger');
SELECT left(hbscore.pin('w')::text, 4) AS name, left(hbscore.pin('w@challenger')::text, 4) AS alias;
-- : the first version of all
SELECT hbscore.register('first', file('demo/models/wine.ubj'), '{"deploy": false}');
SELECT predict('first', 1);
SELECT * FROM hbscore.inspect('first');
SELECT hbscore.create_predict_function('first');
SELECT predict('first@champion', 1);
SELECT predict('first@2', 1);
SELECT predict_json('first@1', w.*) ->> 'model' AS version FROM wine AS w WHERE id = 1;
SELECT hbscore.register('first', file('demo/models/wine.ubj'), '{"deploy": false}');
SELECT hbscore.pin('first');
SELECT hbscore.drop('first', 1), hbscore.deploy('first', 2);
SELECT predict_json('first', w.*) ->> 'model' AS name FROM wine AS w WHERE id = 1;
SELECT hbscore.drop('first'), hbscore.drop('w');
SELECT hbscore.register('w', file('demo/models/wine.ubj'), '{"deploy": true}');

-- : refused
SELECT hbscore.deploy('v', 9);
SELECT hbscore.deploy('v', 0);
SELECT hbscore.deploy('v', -1);
SELECT hbscore.deploy('vv', 1);
SELECT hbscore.deploy('v@1', 1);
SELECT hbscore.deploy('v', 1, '');
SELECT hbscore.deploy('v', 1, '12');
SELECT hbscore.deploy('v', 1, 'a@b');
SELECT hbscore.deploy(NULL, 1);
SELECT hbscore.deploy('v', NULL);
SELECT hbscore.deploy('v', 1, NULL);

-- : pinned: the version with the beginning of its digest
SELECT hbscore.pin('v')::text = 'v@1#' || left(encode(sha256(file('demo/models/wine.ubj')), 'hex'), 16) AS plain, hbscore.pin('v@champion')::text LIKE 'v@2#%' AS alias,
    hbscore.pin('v@3')::text LIKE 'v@3#%' AS version, hbscore.pin(hbscore.pin('v'))::text = hbscore.pin('v')::text AS again, hbscore.pin(NULL) IS NULL AS none;
SELECT predict_json(hbscore.pin('v'), w.*) ->> 'model' AS pinned FROM wine AS w WHERE id = 1;
SELECT predict('v@1#0123456789abcdef', w.*) FROM wine AS w;
SELECT predict('v@1#' || left(encode(sha256(file('demo/models/wine.ubj')), 'hex'), 16), w.*) IS NOT NULL AS right FROM wine AS w WHERE id = 1;

-- L2: a deployment that is rolled back
BEGIN;
SELECT hbscore.deploy('v', 2);
SELECT * FROM now_scores;
SAVEPOINT one;
SELECT hbscore.deploy('v', 3);
SELECT * FROM now_scores;
ROLLBACK TO one;
SELECT * FROM now_scores;
ROLLBACK;
SELECT * FROM now_scores;

-- : what is deployed is not dropped, with the alias in the error
SELECT hbscore.drop('v', 1);
SELECT hbscore.drop('v', 3);
SELECT hbscore.deploy('v', 2);
SELECT hbscore.drop('v', 1);
SELECT * FROM stored;
SELECT predict('v@1', w.*) FROM wine AS w;
SELECT hbscore.pin('v@1');
SELECT hbscore.deploy('v', 1);
SELECT hbscore.drop('v', 1);
SELECT hbscore.drop('v', 9);
SELECT hbscore.drop('v', 0);
SELECT hbscore.drop('v', -1);
SELECT hbscore.drop('v@2');
SELECT hbscore.drop(NULL);
-- : a version that is NULL is not all versions
SELECT hbscore.drop('v', NULL);
SELECT hbscore.drop('v', (SELECT version FROM hbscore.models WHERE name = 'nosuch'));
SELECT hbscore.drop('vv');
-- : a number is never used again
SELECT hbscore.register('v', file('demo/models/wine.ubj'));
SELECT hbscore.drop('v', 4);
SELECT hbscore.register('v', file('demo/models/wine.ubj'));
SELECT * FROM stored;
-- L2: a drop that is rolled back
BEGIN;
SELECT hbscore.drop('v');
SELECT * FROM named;
SELECT * FROM now_scores;
ROLLBACK;
SELECT * FROM named;
SELECT * FROM now_scores;
-- : the whole model, with its aliases; its numbers stay used
SELECT hbscore.drop('v');
SELECT * FROM stored;
SELECT * FROM named;
SELECT * FROM now_scores;
SELECT predict('v@champion', w.*) FROM wine AS w;
SELECT hbscore.drop('v');
SELECT hbscore.deploy('v', 2);
SELECT hbscore.register('v', file('demo/models/wine.ubj'));
SELECT * FROM now_scores;
-- L6: aliases written by hand that lead nowhere
INSERT INTO hbscore.aliases (name, alias, version) VALUES ('v', 'default', 2), ('v', 'far', 99), ('ghost', 'default', 1);
SELECT * FROM now_scores;
SELECT predict('v@far', w.*) FROM wine AS w;
SELECT predict('ghost', w.*) FROM wine AS w;
SELECT predict('ghost@default', w.*) FROM wine AS w;
DELETE FROM hbscore.aliases WHERE name = 'ghost';
SELECT hbscore.drop('v');
SELECT * FROM named;

-- : how references are written
SELECT predict('', 1);
SELECT predict('@', 1);
SELECT predict('v@', 1);
SELECT predict('v@0', 1);
SELECT predict('v@01', 1);
SELECT predict('v@9999999999', 1);
SELECT predict('v@1@2', 1);
SELECT predict('v@1#', 1);
SELECT predict('v@1#0123', 1);
SELECT predict('v@x#0123456789abcdef', 1);
SELECT predict('#', 1);
SELECT predict(repeat('x', 10000000), 1);
SELECT predict('v@' || repeat('1', 10000000), 1);
-- : which name was meant
SELECT predict('wein', 1);
SELECT predict('WINE', 1);
SELECT predict('wine@2', 1);
SELECT predict('wine@champion', 1);
SELECT predict('number ', 1);
DROP VIEW now_scores, stored, named;
