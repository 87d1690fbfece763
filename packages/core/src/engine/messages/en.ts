import { accountMessages } from "./accountMessages.ts"
import { keyLimitMessages } from "./keyLimits.ts"
import { webhookMessages } from "./webhooks.ts"

const pluralize = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** The English messages. All other languages must define the same keys and parameters as English. */
export const en = {
  ...keyLimitMessages.en,
  ...webhookMessages.en,
  user_id_not_accepted: "The API key determines the account; remove the field `user_id` from the body.",
  invalid_body: "The body must be one JSON object, such as {\"coin\": \"BTC\"}.",
  invalid_json: "The body is not JSON; send one JSON object, such as {\"coin\": \"BTC\"}.",
  repeated_name: (p: { readonly name: string }) => `The body contains \`${p.name}\` twice in one object; send it once.`,
  invalid_arguments: (p: { readonly count: number }) =>
    p.count === 1 ? "One argument is invalid; see `issues`." : `${p.count} arguments are invalid; see \`issues\`.`,
  idempotency_key_reused: "This Idempotency-Key was used for another request; send a new key.",
  invalid_idempotency_key: "Idempotency-Key must be 1 to 128 printable ASCII characters.",
  invalid_key:
    "The API key is missing, malformed, expired or revoked. Send `Authorization: Bearer <key>` with a valid key.",
  over_limit: (p: { readonly price: number; readonly left: number }) =>
    `This call costs ${pluralize(p.price, "credit", "credits")}, and this month has ${p.left} left. ` +
    "Choose a higher plan, or wait for the renewal.",
  scope_required: (p: { readonly scope: string }) => `This key lacks the scope \`${p.scope}\`.`,
  unknown_tool: (p: { readonly tool: string; readonly nearest: string | null }) =>
    p.nearest === null
      ? `There is no tool named \`${p.tool}\`; GET /v1/tools lists the tools.`
      : `There is no tool named \`${p.tool}\`; did you mean \`${p.nearest}\`? GET /v1/tools lists the tools.`,
  not_found: "Nothing exists at this address. Check the path and each id in it.",
  conversation_not_found: (p: { readonly id: number }) => `There is no conversation ${p.id}.`,
  generation_running: "The conversation is still answering; resume it, or cancel it first.",
  conversation_went_on: (p: { readonly shown: number }) =>
    `The conversation no longer ends with message ${p.shown}; read it again and reply to its current end.`,
  daily_quota_reached: (p: { readonly quota: number }) =>
    `The plan allows ${
      pluralize(p.quota, "answer", "answers")
    } a day; wait for tomorrow (UTC), or choose a higher plan.`,
  status_thinking: "Thinking",
  status_calling_tools: "Reading the data",
  status_answering: "Writing the answer",
  status_retrying: "Trying again",
  answer_model_unavailable: "The model cannot be reached right now; ask again in a few seconds.",
  answer_model_refused: "The model rejected the request; contact the operator.",
  answer_context_exceeded: "This conversation is too long for the model; start a new one.",
  answer_no_answer: "The model returned no answer; ask again, or ask a narrower question.",
  answer_filtered: "The model's provider withheld the answer.",
  answer_account_suspended: "This account was suspended or closed while the answer was running.",
  answer_stopped_by_operator: "An operator of the service stopped this answer.",
  answer_broken: "Something went wrong on our side while answering.",
  nothing_charged: "Nothing was charged.",
  answer_arguments_no_json: "The arguments are not valid JSON; call again with one JSON object.",
  answer_no_such_tool: (p: { readonly tool: string; readonly nearest: string | null }) =>
    `There is no tool named \`${p.tool}\`${p.nearest === null ? "." : `; did you mean \`${p.nearest}\`?`}`,
  answer_write_not_allowed:
    "This answer can neither change records nor propose changes. Nothing was written; describe the change to the user.",
  answer_propose_faults: (p: { readonly tool: string; readonly faults: string }) =>
    `\`${p.tool}\` does not accept these arguments: ${p.faults}. Nothing was proposed; correct them and call again.`,
  answer_propose_hidden: (p: { readonly limit: number }) =>
    `The user could not read all of this call: use at most ${p.limit} characters of JSON, without backticks ` +
    "and invisible characters. Nothing was proposed.",
  answer_propose_twice: "This answer has already proposed exactly this call. It was not proposed again.",
  answer_propose_too_many: (p: { readonly limit: number }) =>
    `An answer can propose at most ${p.limit} calls. This call was not proposed.`,
  answer_proposed:
    "Nothing was written. The user sees this call next to your answer, and can accept or dismiss it. Do not list its " +
    "values again, and do not say that it was done.",
  proposal_done: (p: { readonly summary: string }) => `Done: ${p.summary}.`,
  proposal_not_found: (p: { readonly id: string }) => `There is no proposal ${p.id}.`,
  proposal_closed: (p: { readonly id: string; readonly state: string }) =>
    `Proposal ${p.id} can no longer be accepted or dismissed. Its state is \`${p.state}\`.`,
  proposal_outdated: (p: { readonly id: string }) =>
    `The record of proposal ${p.id} has changed since the answer. Nothing was written; ask the analyst again.`,
  record_changed: "The record has changed since this call was proposed. Nothing was written.",
  image_not_data_url: "An image must be a data URL with base64; links are not fetched.",
  image_unknown_type: "The image is not a PNG, JPEG, WebP or GIF.",
  image_too_large: (p: { readonly limit: number }) => `An image may have at most ${p.limit} MiB.`,
  image_too_many_pixels: (p: { readonly limit: number }) => `An image may have at most ${p.limit} megapixels.`,
  images_too_many: (p: { readonly limit: number }) => `At most ${p.limit} images may be sent at once.`,
  images_too_large: (p: { readonly limit: number }) => `The images may have at most ${p.limit} MiB together.`,
  seed_context_too_large: (p: { readonly limit: number }) => `\`seed_context\` may have at most ${p.limit} KiB.`,
  regenerate_needs_conversation: "`regenerate` needs a conversation with a question in it.",
  last_message_needs_conversation: "`last_message_id` needs the `conversation_id` of its conversation.",
  mode_of_conversation: (p: { readonly mode: string }) =>
    `The conversation has the mode \`${p.mode}\`; omit \`mode\`, or start a new conversation.`,
  secret_returned: "The first request returned a secret, which is not stored. If it is lost, create a new one.",
  account_suspended: "This account is suspended. Contact the operator of the service.",
  ...accountMessages.en,
  unknown_session: (p: { readonly id: number }) => `There is no session ${p.id}.`,
  invalid_session: "You are not signed in, or your session has ended. Sign in again.",
  sign_in_again: (p: { readonly minutes: number }) =>
    `This action needs a sign-in within the last ${pluralize(p.minutes, "minute", "minutes")}. Sign in again, then ` +
    "repeat it.",
  link_unknown: "This link is not valid: it was never issued, or it was copied incompletely. Request a new one.",
  link_used: "This link was already used, and it works only once. Request a new one.",
  link_expired: "This link has expired. Request a new one.",
  cross_site: "This request must come from a page of this service, so nothing was done. Programs must send an API key.",
  other_account:
    "This page was opened for another account than the one that is signed in now; nothing was done. Reload the page.",
  too_many_attempts: (p: { readonly seconds: number }) => `Too many failed attempts; try again in ${p.seconds} s.`,
  unknown_plan: (p: { readonly plan: string; readonly known: string }) =>
    `There is no plan \`${p.plan}\`; choose one of: ${p.known}.`,
  method_not_allowed: (p: { readonly allow: string }) => `This address supports only ${p.allow}.`,
  request_in_progress: "The first request with this Idempotency-Key is still running; try again in a few seconds.",
  payload_too_large: (p: { readonly limit: number }) =>
    `The body is larger than ${pluralize(p.limit, "byte", "bytes")}.`,
  unsupported_media_type: "Send the body as `Content-Type: application/json`.",
  body_too_dense: (p: { readonly limit: number }) =>
    `Without images and other long texts, the body may have at most ${pluralize(p.limit, "byte", "bytes")}.`,
  body_too_deep: (p: { readonly limit: number }) =>
    `The body may be nested at most ${pluralize(p.limit, "level", "levels")} deep.`,
  compressed_body: "Send the body without compression and without `Content-Encoding`.",
  repeated_header: (p: { readonly header: string }) => `Send the header ${p.header} once.`,
  invalid_host: "Send exactly one `Host` header.",
  malformed_request: "The request is not valid HTTP/1.1; check the request line and the headers.",
  headers_too_large: "The headers are too large; send fewer or shorter ones.",
  too_many_large_bodies:
    "The server is already reading the maximum number of large requests. This one was not read; send it again later.",
  request_timeout: "The request did not arrive in time; send it again over a faster connection.",
  rate_limited: (p: { readonly seconds: number }) => `Too many requests this minute; try again in ${p.seconds} s.`,
  too_many_keys: (p: { readonly max: number }) =>
    `The account issued ${p.max} keys within a day, including revoked keys; use one of them, or try again later.`,
  too_many_streams: (p: { readonly max: number }) =>
    `The account has ${pluralize(p.max, "stream", "streams")} of this kind open, which is the maximum; close one ` +
    "first.",
  internal: "Something went wrong on our side. Nothing was charged.",
  plan_not_configured: (p: { readonly plan: string }) =>
    `The account has the plan \`${p.plan}\`, which this server does not define; try again later, or contact the ` +
    "operator.",
  not_ready: (p: { readonly dependency: string }) => `This process is not ready: \`${p.dependency}\` is not available.`,
  shutting_down: "This process is not ready: it is shutting down.",
  unavailable: "The service is temporarily unavailable; try again in a few seconds. This attempt was not charged.",
  in_doubt:
    "The request was interrupted before its outcome was known, and may have been charged. Send it again with the " +
    "same Idempotency-Key, which charges once; without one, GET /v1/usage shows the charges.",

  title_bad_request: "Bad request",
  title_unauthorized: "Not authenticated",
  title_over_limit: "Monthly credits exhausted",
  title_forbidden: "Not allowed",
  title_not_found: "Not found",
  title_method_not_allowed: "Method not allowed",
  title_conflict: "Conflict",
  title_payload_too_large: "Body too large",
  title_unsupported_media_type: "Unsupported media type",
  title_rate_limited: "Too many requests",
  title_request_timeout: "Request too slow",
  title_headers_too_large: "Headers too large",
  title_internal: "Internal error",
  title_unavailable: "Temporarily unavailable",

  unknown_symbol: (p: { readonly symbol: string }) => `\`${p.symbol}\` is not a known symbol.`,
  unknown_address: (p: { readonly address: string; readonly chain: string }) =>
    `No token of \`${p.chain}\` has the address \`${p.address}\`; search_tokens lists chains and addresses.`,
  unknown_coin: (p: { readonly symbol: string }) =>
    `\`${p.symbol}\` is not a known symbol of a coin; for stocks use get_us_stock or get_kr_stock.`,
  unknown_stock: (p: { readonly symbol: string }) =>
    `\`${p.symbol}\` is not a known symbol of a stock; for coins use get_price.`,
  unknown_coin_here: (p: { readonly symbol: string }) =>
    `\`${p.symbol}\` is not a known symbol of a coin; pass a stock in \`symbol\`.`,
  unknown_stock_here: (p: { readonly symbol: string }) =>
    `\`${p.symbol}\` is not a known symbol of a stock; pass a coin in \`coin\`.`,
  ambiguous_symbol: (p: { readonly name: string; readonly candidates: string }) =>
    `\`${p.name}\` matches several instruments; use a ticker: ${p.candidates}.`,
  none_priced: "No coin has a price right now.",
  none_before_listing: (p: { readonly coin: string; readonly since: string }) =>
    `${p.coin} has been listed since ${p.since}; there is no earlier data.`,
  none_after_delisting: (p: { readonly coin: string; readonly since: string }) =>
    `${p.coin} stopped trading on ${p.since}; there is no later data.`,
  none_yet: "That time is in the future.",
  none_recorded: (p: { readonly symbol: string }) => `No data of ${p.symbol} is recorded for that time.`,
  none_closed: (p: { readonly symbol: string; readonly timeframe: string }) =>
    `No candle of ${p.symbol} (${p.timeframe}) has closed yet.`,
  none_perpetual: (p: { readonly coin: string }) => `${p.coin} is a stablecoin and has no perpetual.`,
  none_trades_too_fast: (p: { readonly coin: string }) =>
    `Pools of ${p.coin} trade too fast for their source, which reports only the latest few hundred trades of each ` +
    "pool.",
  none_on_krw_market: (p: { readonly coin: string }) => `No KRW market lists ${p.coin}.`,
  none_krw_market_open: "No KRW market is open.",
  none_in_us: (p: { readonly symbol: string; readonly exchange: string; readonly tool: string }) =>
    `${p.symbol} is listed on ${p.exchange}, not in the US; use ${p.tool}.`,
  none_in_korea: (p: { readonly symbol: string; readonly exchange: string; readonly tool: string }) =>
    `${p.symbol} is listed on ${p.exchange}, not in Korea; use ${p.tool}.`,
  none_korean: (p: { readonly symbol: string }) => `${p.symbol} is not a Korean stock.`,
  none_american: (p: { readonly symbol: string }) => `${p.symbol} is not a US stock.`,
  none_with_options: (p: { readonly coin: string; readonly listed: string }) =>
    `${p.coin} has no options; they are listed on ${p.listed}.`,
  none_at_expiry: (p: { readonly symbol: string }) => `No listed option of ${p.symbol} expires at that time.`,
  none_on_expiry: (p: { readonly symbol: string; readonly expiry: string; readonly listed: string }) =>
    `No option of ${p.symbol} expires on ${p.expiry}; listed: ${p.listed}.`,
  none_option_price: (p: { readonly option: string }) => `${p.option} has no quotes and no mark price right now.`,
  none_so_long: (p: { readonly symbol: string }) => `${p.symbol} has a shorter history.`,
  none_scored: (p: { readonly coin: string }) =>
    `No closed hour of ${p.coin} has a score: the coin is too new, or its price does not move.`,
  none_hours_recorded: (p: { readonly coin: string }) =>
    `Not all hourly candles of ${p.coin} that this result needs were recorded.`,
  none_of_stablecoin: (p: { readonly coin: string }) =>
    `${p.coin} is a stablecoin: it follows its peg, and has no score and no signals.`,
  none_squeezed: (p: { readonly coin: string }) =>
    `${p.coin} has too few closed hours to detect a squeeze, or its price does not move.`,
  none_regime:
    "The regime needs the latest closed hours of BTC, and two thirds of the day and of the 30 days before; too few " +
    "are recorded.",
  none_fear_greed:
    "The fear and greed index needs a fully recorded day of BTC and at least one component; no requested day has both.",
  source_unavailable: (p: { readonly source: string }) => `The source \`${p.source}\` cannot be reached right now.`,
  source_without_network: "No data source can be reached: the service seems to have no network.",
  source_busy: (p: { readonly source: string }) =>
    `The source \`${p.source}\` receives too many requests right now; try again in a few seconds.`,
  source_busy_for: (p: { readonly source: string; readonly seconds: number }) =>
    `The source \`${p.source}\` receives too many requests right now; try again in ${p.seconds} s.`,
  source_filling: (p: { readonly source: string }) =>
    `Data of the source \`${p.source}\` is still being backfilled; try again in a minute.`,
  source_blocked: (p: { readonly source: string }) =>
    `The source \`${p.source}\` is not available in the region in which this service runs.`,
  source_unreadable: (p: { readonly source: string }) =>
    `The response of the source \`${p.source}\` could not be parsed, so it was discarded.`,
  source_needs_setting: (p: { readonly source: string; readonly variable: string }) =>
    `The source \`${p.source}\` needs the setting ${p.variable}.`,
  source_unset: (p: { readonly source: string }) => `The source \`${p.source}\` is not configured.`,
  source_missing_room:
    "There are more records than one call can read; request a shorter period, longer steps or fewer instruments.",
  source_missing_flows:
    "No source of investor flows is configured, and no setting adds one: the Korean exchange provides this data to " +
    "programs only under a contract.",
  source_missing_transfers:
    "No source of large transfers is configured, and no setting adds one: no free source labels the wallets of " +
    "exchanges. A licensed feed of labelled transfers is needed.",
  compute_busy: "All compute capacity is in use; try again in a few seconds.",
  compute_crashed: "The computation was interrupted; try again in a few seconds.",
  script_threw: (p: { readonly error: string }) => `The script failed: ${p.error}`,
  script_threw_at: (p: { readonly error: string; readonly line: number }) =>
    `The script failed at line ${p.line}: ${p.error}`,
  script_memory: (p: { readonly mb: number }) => `The script used more than its ${p.mb} MB of memory.`,
  script_stack: "The script exceeded the maximum recursion depth.",
  script_log: (p: { readonly kib: number; readonly lines: number }) =>
    `The script logged more than ${p.lines} lines or ${p.kib} KiB; log less.`,
  script_value: (p: { readonly reason: string }) =>
    `The value of the script cannot be represented in JSON: ${p.reason}`,
  script_value_size: (p: { readonly kib: number }) =>
    `The value of the script is larger than ${p.kib} KiB; return less.`,
  script_value_depth: (p: { readonly limit: number }) =>
    `The value of the script is nested more than ${p.limit} levels deep.`,
  script_stalled: "The script waits for a promise that never settles.",
  script_broke: "The script crashed its sandbox.",
  script_timeout: (p: { readonly ms: number }) =>
    `The script did not finish within ${p.ms} ms; do less, or pass a larger timeout_ms (at most 10000).`,
  script_outage:
    "A call of the script failed because the service or a source is unavailable or overloaded; try again in a few " +
    "seconds.",
  script_tool: (p: { readonly tool: string }) =>
    `Scripts cannot call \`${p.tool}\`, only market tools that cost 1 credit.`,
  chart_too_large: "The chart is larger than the maximum; request fewer bars or panels.",
  chart_none: "This service cannot draw charts: its operator has to configure a renderer and an image store.",
  chart_volume: "Volume",
  chart_funding: "Funding",
  chart_oi: "Open interest",
  chart_score: "Score",
  chart_yearly: "annualised",
  chart_as_of: "as of",
  chart_running: "running",
  chart_longs: "long liquidations",
  chart_shorts: "short liquidations",
  chart_no_data: "not recorded",
  journal_none: "This service has no journals: its operator has to configure a store for them.",
  journal_no_position: (p: { readonly id: number }) =>
    `Your journal has no open position ${p.id}; get_positions lists them.`,
  journal_no_trade: (p: { readonly id: number }) => `Your journal has no trade ${p.id}; get_trade_history lists them.`,
  journal_positions_full: (p: { readonly limit: number }) =>
    `Your journal contains ${p.limit} open positions, which is the maximum; close or delete one first.`,
  journal_trades_full: (p: { readonly limit: number }) =>
    `Your journal contains ${p.limit} trades, which is the maximum.`,
  journal_notes_full: (p: { readonly limit: number }) =>
    `Your journal contains ${p.limit} notes, which is the maximum.`,
  journal_watchlist_full: (p: { readonly limit: number }) =>
    `The watchlist may contain at most ${p.limit} coins; remove some first.`,
  tasks_none: "This service has no tasks: its operator has to configure a store for them.",
  task_not_found: (p: { readonly id: number }) => `You have no task ${p.id}; get_tasks lists them.`,
  task_kind: (p: { readonly id: number; readonly kind: "watch" | "schedule" }) =>
    `Task ${p.id} is ${
      p.kind === "watch" ? "an alert" : "a schedule"
    }, which cannot change; create another task for the other kind.`,
  task_done: (p: { readonly id: number; readonly runs: number }) =>
    `Task ${p.id} is done. Runs: ${p.runs}. To run it again, pass a larger max_runs.`,
  task_limited_key:
    "This key has monthly credits of its own, and a task that asks the analyst uses the account's. Use another key " +
    "or the console.",
  tasks_full: (p: { readonly limit: number }) =>
    `You have ${p.limit} open tasks, which is the maximum; delete one first (delete_task).`,
  actor_ended:
    "Nothing was written: the session or key has ended, or the key lost write:personal. Sign in again, or use " +
    "another key.",
  watch_coins_only: (p: { readonly symbol: string; readonly metric: string }) =>
    `\`${p.symbol}\` is a stock, and an alert on ${p.metric} needs a coin; for a stock use price or gap.`,
  task_needs_chat: (p: { readonly id: number }) =>
    `Task ${p.id} asks the analyst, so this key needs the scope agent:chat; it can still pause or delete the task.`,
  task_did_gt: "above",
  task_did_gte: "at or above",
  task_did_lt: "below",
  task_did_lte: "at or below",
  task_did_cross_above: "crossed above",
  task_did_cross_below: "crossed below",
  task_saw_price: (
    p: {
      readonly symbol: string
      readonly value: string
      readonly time: string
      readonly did: string
      readonly level: string
    }
  ) => `${p.symbol}: price ${p.value} at ${p.time}, ${p.did} ${p.level}.`,
  task_saw_score: (
    p: {
      readonly symbol: string
      readonly value: string
      readonly time: string
      readonly did: string
      readonly level: string
    }
  ) => `${p.symbol}: score ${p.value} at ${p.time}, ${p.did} ${p.level}.`,
  task_saw_vwap: (
    p: {
      readonly symbol: string
      readonly price: string
      readonly vwap: string
      readonly time: string
      readonly dir: "above" | "below"
    }
  ) => `${p.symbol}: price ${p.price} at ${p.time}, crossed ${p.dir} the day's VWAP ${p.vwap}.`,
  task_saw_gap: (p: { readonly moves: string; readonly level: string; readonly time: string; readonly more: number }) =>
    `Moved at least ${p.level}% within 60 minutes by ${p.time}: ${p.moves}${p.more > 0 ? ` and ${p.more} more` : ""}.`,
  task_late: (p: { readonly minutes: number }) => `Detected ${p.minutes} min late.`,
  task_missed: (p: { readonly times: number }) =>
    `Until then it would have fired ${p.times} more ${p.times === 1 ? "time" : "times"}.`,
  task_asked_by_watch: (p: { readonly title: string; readonly seen: string }) =>
    `(The alert "${p.title}" fired. ${p.seen})`,
  task_no_analyst: "The task asks the analyst, and this service has none.",
  task_no_credits: (p: { readonly until: string }) =>
    `No credits were left for the analyst; the task can fire again from ${p.until}.`,
  task_no_answers: (p: { readonly until: string }) =>
    `The day's answers are used up; the task can fire again from ${p.until}.`,
  task_not_answered: "The analyst could not answer; nothing was charged.",
  task_answered: "The answer is in the conversation.",
  task_paused_by_operator: "An operator of the service paused this task.",
  task_account_suspended: "The account was suspended, so the task is paused. Resume it when the account is active.",
  task_key_gone:
    "The task is paused: its key is revoked or expired, or may no longer ask the analyst. Resume it with another key " +
    "(update_task).",
  journal_no_account: "The account size is unknown. Pass account_usd, or store it with set_risk_profile.",
  sandbox_crowded: (p: { readonly ms: number }) =>
    `Other scripts were waiting, so the script was stopped after ${p.ms} ms; do less, or try again.`,
  sandbox_budget: "Your scripts ran too long in the last minute, and other scripts are waiting; try again in a minute.",
  sandbox_busy: "The script queue is full; try again in a few seconds.",
  sandbox_away: "Scripts cannot run right now; try again in a few seconds.",
  sandbox_none: "This service runs no scripts: its operator has to configure a sandbox.",
  timeout: (p: { readonly seconds: number }) => `The tool did not finish within ${p.seconds} s.`,

  issue_missing: "This argument is required.",
  issue_more: (p: { readonly count: number }) => `There are ${p.count} more issues.`,
  issue_unexpected: (p: { readonly known: string }) =>
    p.known === "" ? "Unknown field; no fields are allowed here." : `Unknown field; known fields: ${p.known}.`,
  issue_unknown_query: (p: { readonly known: string }) =>
    p.known === ""
      ? "This address takes no query parameters."
      : `Unknown query parameter; known parameters: ${p.known}.`,
  issue_expected: (p: { readonly expected: string }) => `Expected ${p.expected}.`,
  expected_string: "a string",
  expected_number: "a finite number",
  expected_boolean: "true or false",
  expected_array: "an array",
  expected_object: "an object",
  expected_null: "null",
  expected_integer: "an integer",
  expected_one_of: (p: { readonly options: string }) => `one of ${p.options}`,
  expected_between: (p: { readonly minimum: string; readonly maximum: string }) =>
    `a value from ${p.minimum} to ${p.maximum}`,
  expected_greater_than: (p: { readonly bound: string }) => `a value greater than ${p.bound}`,
  expected_at_least: (p: { readonly bound: string }) => `a value of at least ${p.bound}`,
  expected_at_most: (p: { readonly bound: string }) => `a value of at most ${p.bound}`,
  expected_length: (p: { readonly minimum: string; readonly maximum: string }) =>
    `a length from ${p.minimum} to ${p.maximum}`,
  expected_pattern: (p: { readonly pattern: string }) => `text of the form ${p.pattern}`,
  expected_ticker: "a ticker of 1 to 20 letters or digits, or the name of a coin",
  expected_symbol: "a ticker such as AAPL or 005930, or a company's name in English or Korean",
  expected_country: "a two-letter country code, such as US",
  expected_coin_or_address: "either `coin`, or `address` together with its `chain`",
  expected_address: "a contract address of 3 to 128 letters, digits, `:`, `_`, `.` or `-`",
  expected_chain: "a chain's name in lower case, such as ethereum",
  expected_coin_or_symbol: "either `coin` or `symbol`",
  expected_stock_chart:
    "for a stock `tf` 15m, 1h or 1d, without vwap, liquidations, funding, oi and score, which exist only for coins",
  expected_one_instrument: "`coin` or `symbol`, or neither; omit one",
  expected_date: "a date in the form YYYY-MM-DD",
  expected_month: "a month in the form YYYY-MM, such as 2026-11",
  expected_month_or_days: "either `month`, or `from` and `to`",
  expected_days_in_order: "a day that is not before `from`",
  expected_dimensions: (p: { readonly options: string }) => `some of ${p.options}, separated by commas`,
  expected_cursor: "the `next_cursor` of the previous page, unchanged",
  expected_no_pages: "nothing with `format=csv`, which returns all lines; remove this parameter",
  expected_text: "text without NUL characters and unpaired surrogates",
  expected_name: "a one-line name without control characters",
  expected_words: "text that is not blank",
  expected_change: (p: { readonly names: string }) => `at least one change: one of ${p.names}`,
  expected_items: (p: { readonly minimum: number }) =>
    p.minimum === 1 ? "a list of at least one item" : `a list of at least ${p.minimum} items`,
  expected_distinct: "each item once; remove the repeated ones",
  expected_operand:
    "a number, or one of price, rsi(n), ema(n), sma(n), atr(n), adx(n), highest(n), lowest(n) with n up to 1000, macd, " +
    "macd.signal, macd.histogram, bollinger.upper, bollinger.middle, bollinger.lower, vwap, funding, open_interest, score",
  expected_place:
    "a place in the strategy, such as entry.0.right, exit.0.left, stop_atr, take_atr or max_bars, each in only one " +
    "range",
  expected_fitting: "a value that this place of the strategy allows",
  expected_combinations: (p: { readonly maximum: number }) =>
    `ranges with at most ${p.maximum} combinations (the product of their lengths)`,
  expected_future: "an instant in the future, such as 2027-01-31T00:00:00Z",
  expected_instant: "an instant that exists, such as 2027-01-31T00:00:00Z",
  expected_past: (p: { readonly now: string }) => `an instant in the past, not after ${p.now}`,
  expected_stop_side: "a stop on the losing side: below the entry of a long, or above the entry of a short",
  expected_task_spec:
    "a condition that code can check: for an alert one of { metric: price or score, symbol, op: gt, gte, lt, lte, cross_above or cross_below, value }, { metric: vwap_cross, symbol, dir: above or below }, " +
    "{ metric: gap, symbol or *, value in percent within 60 minutes }; for a schedule { at: HH:MM, tz_offset_hours } or { every_min: 5 to 43200 }",
  expected_watch_price:
    "for the metric price: symbol, op and value (a price above 0), optionally market, and nothing else",
  expected_watch_score: "for the metric score: symbol (a coin), op and value (-100 to 100), and nothing else",
  expected_watch_vwap: "for the metric vwap_cross: symbol (a coin) and dir (above or below), and nothing else",
  expected_watch_gap:
    "for the metric gap: symbol (* for all coins), value in percent (0.01 to 1000), optionally market, and nothing " +
    "else",
  expected_time_of_day: "a time of day in the form HH:MM, such as 09:30",
  expected_offset: "hours from UTC, -12 to 14 in steps of 0.25, such as 9 or 5.75",
  expected_valid: "a valid value"
}
