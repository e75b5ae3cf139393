-- Which of some commands the account that calls may not send.
--
-- ARGV  1  the commands as JSON: a list of lists, each a command with its arguments
--
-- Returns  the forbidden ones, as places in the list, from 1
-- Sends none of the commands. A command that the server does not know counts as forbidden.

local forbidden = {}
for place, command in ipairs(cjson.decode(ARGV[1])) do
  local known, allowed = pcall(redis.acl_check_cmd, unpack(command))
  if not (known and allowed) then
    forbidden[#forbidden + 1] = place
  end
end
return forbidden
