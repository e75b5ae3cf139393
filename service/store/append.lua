-- Append the events of a command to a stream, only once, if the stream is at the expected version and head.
--
-- KEYS  1  {bb}:ev:<stream>   stream  the events: ids <version>-0, fields e and h
--       2  {bb}:cmd:<stream>  hash    command id -> digest (8 bytes), then <first>-<last>
--       3  {bb}:feed          stream  one entry per append: s the stream, v <first>-<last>, t the types
--       4  {bb}:streams       zset    the ids of the bucket's streams that are not sealed
--       5  {bb}:sealed:<..>   hash    the places of sealed streams
-- ARGV  1  command id (16 bytes)
--       2  digest of the request (8 bytes)
--       3  expected version
--       4  expected head (32 bytes; "" at version 0)
--       5  stream id
--       6  types of the events, separated by spaces
--       7  the stream's field in the hash of places
--       8.. pairs of e and h
--
-- Returns  stored  first  last      written now
--          seen    first  last      the command was stored before, as these versions
--          reused                   the command id was stored before, from a request with another digest
--          sealed  place            the stream is sealed at this place
--          stale   have   entries   the stream is at another version; the entries after the expected one
--          forked  have             the stream is at the expected version, but its head is not the expected one
-- Error    WRONGTYPE                a key holds a value of another type
--          OOM                      the server's memory is full, and the events do not only end something
-- Nothing is written unless it returns stored. Scripts are not rolled back, so all checks come before the first write.

local MOST_ENTRIES = 256

-- Read each key before writing or returning anything: a read raises WRONGTYPE, at half the cost of TYPE.
redis.call('XLEN', KEYS[3])
redis.call('ZCARD', KEYS[4])
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then
  if string.sub(known, 1, 8) ~= ARGV[2] then
    return {'reused'}
  end
  local first, last = string.match(known, '^(%d+)-(%d+)$', 9)
  return {'seen', tonumber(first), tonumber(last)}
end

local expected = tonumber(ARGV[3])
local have, head = 0, ''
if newest then
  have = tonumber(string.match(newest[1], '^%d+'))
  head = newest[2][4]
else
  local place = redis.call('HGET', KEYS[5], ARGV[7])
  if place then
    return {'sealed', place}
  end
end
if have ~= expected then
  return {'stale', have, redis.call('XRANGE', KEYS[1], (expected + 1) .. '-0', '+', 'COUNT', MOST_ENTRIES)}
end
if head ~= ARGV[4] then
  return {'forked', have}
end

-- Events that end something are stored even when the server's memory is full: there are only so many, and without them
-- nobody could take back a stolen token.
local function only_ends(types)
  local ENDS = {
    ['dice-revealed'] = true, ['draw-agreed'] = true, ['match-aborted'] = true, ['match-ended'] = true,
    ['seat-withdrawn'] = true, ['seeds-revealed'] = true, ['token-revoked'] = true, ['tournament-aborted'] = true,
  }
  for type in string.gmatch(types, '%S+') do
    if not ENDS[type] then
      return false
    end
  end
  return true
end

local last = have + 1
local first = redis.pcall('XADD', KEYS[1], last .. '-0', 'e', ARGV[8], 'h', ARGV[9])
if type(first) == 'table' and first.err then
  if not (string.find(first.err, '^%-?OOM') and only_ends(ARGV[6])) then
    return first
  end
  -- A full server lets a script go on that has begun with a write that takes no memory.
  redis.call('HDEL', KEYS[2], '')
  redis.call('XADD', KEYS[1], last .. '-0', 'e', ARGV[8], 'h', ARGV[9])
end
for i = 10, #ARGV, 2 do
  last = last + 1
  redis.call('XADD', KEYS[1], last .. '-0', 'e', ARGV[i], 'h', ARGV[i + 1])
end
local versions = (have + 1) .. '-' .. last
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. versions)
redis.call('XADD', KEYS[3], '*', 's', ARGV[5], 'v', versions, 't', ARGV[6])
if have == 0 then
  redis.call('ZADD', KEYS[4], 0, ARGV[5])
end
return {'stored', have + 1, last}
