/**
 * The shared counters as scripts, which Redis executes atomically and by its own clock. A window is a hash of seconds
 * (see SlidingWindow for the rule); concurrency is a sorted set of leases by expiry.
 */
const CLOCK = `
local time = redis.call('TIME')
local second = tonumber(time[1])
local now = second * 1000 + math.floor(tonumber(time[2]) / 1000)
local SLOTS = 61
local KEEP_MS = 122000
`;

/**
 * Counts against every limit or none. ARGV: the lease ('' only looks), its duration, then for each key kind, maximum
 * and amount (0 only looks). Returns whether it was admitted, the second, then for each key the count, the wait (-1:
 * for ever) and the reset.
 */
export const TAKE = `${CLOCK}
local lease, leaseMs = ARGV[1], tonumber(ARGV[2])
local states, fits = {}, true

local function readWindow(key)
  local flat = redis.call('HGETALL', key)
  local counts, old, used = {}, {}, 0
  for at = 1, #flat, 2 do
    local slot, count = tonumber(flat[at]), tonumber(flat[at + 1])
    if slot <= second - SLOTS or slot >= second + SLOTS then
      old[#old + 1] = flat[at]
    elseif count > 0 then
      counts[#counts + 1] = { slot, count }
      used = used + count
    end
  end
  if #old > 0 then redis.call('HDEL', key, unpack(old)) end
  table.sort(counts, function(one, other) return one[1] < other[1] end)
  return counts, used
end

local function waitFor(counts, excess)
  for _, entry in ipairs(counts) do
    excess = excess - entry[2]
    if excess <= 0 then return (entry[1] + SLOTS) * 1000 - now end
  end
  return -1
end

for at, key in ipairs(KEYS) do
  local kind, most, amount = ARGV[3 * at], tonumber(ARGV[3 * at + 1]), tonumber(ARGV[3 * at + 2])
  local state = { kind = kind, amount = amount, wait = 0, reset = 0 }
  if kind == 'concurrency' then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    state.used = redis.call('ZCARD', key)
    if amount > 0 and state.used >= most then state.wait = 1000 end
  else
    local counts, used = readWindow(key)
    state.used = used
    if #counts > 0 then state.reset = (counts[#counts][1] + SLOTS) * 1000 - now end
    local excess = used + amount - most
    if amount > 0 and excess > 0 then state.wait = amount > most and -1 or waitFor(counts, excess) end
  end
  if state.wait ~= 0 then fits = false end
  states[at] = state
end

local isTaken = fits and lease ~= ''
local result = { isTaken and 1 or 0, second }
for at, key in ipairs(KEYS) do
  local state = states[at]
  if isTaken then
    if state.kind == 'concurrency' then
      redis.call('ZADD', key, now + leaseMs, lease)
      redis.call('PEXPIRE', key, 2 * leaseMs)
    else
      redis.call('HINCRBY', key, second, state.amount)
      redis.call('PEXPIRE', key, KEEP_MS)
      state.reset = math.max(state.reset, (second + SLOTS) * 1000 - now)
    end
    state.used = state.used + state.amount
  end
  result[#result + 1] = state.used
  result[#result + 1] = state.wait
  result[#result + 1] = state.reset
end
return result
`;

/**
 * Ends a counted request. ARGV: the lease, the second it was counted in, then for each key the kind and by how many
 * tokens the estimate was short; an excess is subtracted from its own second.
 */
export const END = `${CLOCK}
local lease, taken = ARGV[1], ARGV[2]
for at, key in ipairs(KEYS) do
  local kind, short = ARGV[2 * at + 1], tonumber(ARGV[2 * at + 2])
  if kind == 'concurrency' then
    redis.call('ZREM', key, lease)
  elseif short > 0 then
    redis.call('HINCRBY', key, second, short)
    redis.call('PEXPIRE', key, KEEP_MS)
  elseif short < 0 then
    local count = tonumber(redis.call('HGET', key, taken))
    if count then redis.call('HINCRBY', key, taken, -math.min(count, -short)) end
  end
end
return 1
`;

/** Renews leases, whether or not Redis still has them. ARGV: their duration, then one for each key. */
export const RENEW = `${CLOCK}
local leaseMs = tonumber(ARGV[1])
for at, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + leaseMs, ARGV[at + 1])
  redis.call('PEXPIRE', key, 2 * leaseMs)
end
return 1
`;
