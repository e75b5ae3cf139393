-- What is remembered of a command, and the entries after a version, as of one moment.
--
-- KEYS  1  {bb}:ev:<stream>   stream
--       2  {bb}:cmd:<stream>  hash
--       3  {bb}:sealed:<..>   hash    the places of sealed streams
-- ARGV  1  command id (16 bytes)
--       2  digest of the request (8 bytes)
--       3  the first version to be returned: Lua would round a large one if it had to count
--       4  the most entries to return; "" for all
--       5  the stream's field in the hash of places
--
-- Returns  none    0      0     entries  place  the place only if the stream is sealed, else nil
--          seen    first  last  entries  nil    the command is stored as these versions
--          reused  0      0     entries  nil    the command id is stored, from a request with another digest
-- Error    WRONGTYPE                            a key holds a value of another type

local first_id = ARGV[3] .. '-0'
local entries
if ARGV[4] == '' then
  entries = redis.call('XRANGE', KEYS[1], first_id, '+')
else
  entries = redis.call('XRANGE', KEYS[1], first_id, '+', 'COUNT', ARGV[4])
end

local known = redis.call('HGET', KEYS[2], ARGV[1])
if not known then
  return {'none', 0, 0, entries, #entries == 0 and redis.call('HGET', KEYS[3], ARGV[5])}
end
if string.sub(known, 1, 8) ~= ARGV[2] then
  return {'reused', 0, 0, entries, false}
end
local first, last = string.match(known, '^(%d+)-(%d+)$', 9)
return {'seen', tonumber(first), tonumber(last), entries, false}
