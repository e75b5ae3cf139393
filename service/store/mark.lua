-- Write something that leaves nothing, so that a WAIT right after it speaks of all that was written before.
--
-- A server takes WAIT to ask for the last write of its connection, not of all connections.
--
-- KEYS  1  {bb}:mark  string  never there
--
-- Returns  1

-- A full server lets a script go on that has begun with a command that frees memory.
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[1], '1')
redis.call('UNLINK', KEYS[1])
return 1
