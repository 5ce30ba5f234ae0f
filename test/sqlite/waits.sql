-- The option "deploy": false: a version waits, until it is deployed.
.nullvalue NULL
CREATE TABLE m (wine BLOB, row TEXT);
INSERT INTO m VALUES (readfile('demo/models/wine.ubj'), '[14.23, 1.71, 2.43, 15.6, 127.0, 2.8, 3.06, 0.28, 2.29, 5.64, 1.04, 3.92, 1065.0]');
CREATE TEMP VIEW now_scores AS SELECT predict_json('v', row) ->> 'model' AS model FROM m;
-- : the name goes on to mean the newest of those that do not wait
SELECT hbscore_register('v', wine) FROM m;
SELECT hbscore_register('v', wine, '{"deploy": false, "rounds": 20}') FROM m;
SELECT * FROM now_scores;
SELECT predict_json('v@2', row) ->> 'model', hbscore_pin('v') LIKE 'v@1#%', hbscore_pin('v@2') LIKE 'v@2#%' FROM m;
SELECT predict_proba('v@2', row) = predict_proba('v@1', row) FROM m;
SELECT version, options FROM hbscore_models WHERE name = 'v';
SELECT hbscore_register('v', wine) FROM m;
SELECT * FROM now_scores;
SELECT hbscore_drop('v', 3), hbscore_register('v', wine, '{"description": "\"deploy\": false"}') FROM m;
SELECT * FROM now_scores;
SELECT hbscore_register('v', wine, '{"\u0064eploy": false}') FROM m;
SELECT * FROM now_scores;
SELECT version, rows FROM hbscore_verify('v');
-- : deployed, it is what the name means; the same beside a version that is deployed
SELECT hbscore_deploy('v', 2);
SELECT * FROM now_scores;
SELECT hbscore_register('v', wine, '{"deploy": false}') FROM m;
SELECT * FROM now_scores;
SELECT hbscore_deploy('v', 6), hbscore_deploy('v', 5, 'challenger');
SELECT * FROM now_scores;
SELECT predict_json('v@challenger', row) ->> 'model' FROM m;
-- : by a virtual table and a scan
SELECT hbscore_register('w', wine), hbscore_register('w', wine, '{"deploy": false, "classes": ["a", "b", "c"]}') FROM m;
SELECT prediction FROM hbscore_scan('w', 'SELECT 1, 14.23, 1.71, 2.43, 15.6, 127.0, 2.8, 3.06, 0.28, 2.29, 5.64, 1.04, 3.92, 1065.0');
SELECT prediction FROM hbscore_scan('w@2', 'SELECT 1, 14.23, 1.71, 2.43, 15.6, 127.0, 2.8, 3.06, 0.28, 2.29, 5.64, 1.04, 3.92, 1065.0');
-- : the first version of all
SELECT hbscore_register('first', wine, '{"deploy":false}') FROM m;
SELECT predict('first', row) FROM m;
SELECT hbscore_pin('first');
SELECT * FROM hbscore_inspect('first');
SELECT predict('first@champion', row) FROM m;
SELECT predict('first@2', row) FROM m;
SELECT predict('first@1', row), (SELECT count(*) FROM hbscore_verify('first')) FROM m;
SELECT hbscore_register('first', wine, '{"deploy": false}') FROM m;
SELECT predict('first', row) FROM m;
SELECT hbscore_drop('first', 1);
SELECT hbscore_deploy('first', 2), predict('first', row) FROM m;
SELECT hbscore_drop('first', 2);
SELECT hbscore_drop('first');
SELECT predict('first', row) FROM m;
-- : without the table of aliases, as in a file of a former version
SELECT hbscore_register('old', wine), hbscore_register('old', wine, '{"deploy": false}') FROM m;
DROP TABLE hbscore_aliases;
SELECT hbscore_pin('old') LIKE 'old@1#%';
-- S5: anything but false is an error
SELECT hbscore_register('v', wine, '{"deploy": true}') FROM m;
SELECT hbscore_register('v', wine, '{"deploy": null}') FROM m;
SELECT hbscore_register('v', wine, '{"deploy": "no"}') FROM m;
-- : options that somebody has written into the row
UPDATE hbscore_models SET options = '{"deploy' WHERE name = 'old' AND version = 2;
SELECT hbscore_pin('old') LIKE 'old@2#%';
SELECT predict('old', row) FROM m;
UPDATE hbscore_models SET options = x'7b7d' WHERE name = 'old' AND version = 2;
SELECT hbscore_pin('old');
