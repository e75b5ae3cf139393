-- Note what the webhooks of an account want, unless a newer version is noted already.
--
-- KEYS  1  webhooks:wants  hash  account: version, a space, and what its active webhooks want as JSON
-- ARGV  1 account  2 version  3 JSON, `{}` for nothing
--
-- Returns  1 if it was noted

local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and tonumber(string.match(known, '^%d+')) >= tonumber(ARGV[2]) then
  return 0
end
-- An account that never wanted anything takes no room.
if known or ARGV[3] ~= '{}' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
end
return 1
