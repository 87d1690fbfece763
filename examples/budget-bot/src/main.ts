// A bot that spends at most `BUDGET` credits a run. The bot reads the prices of the tools that its key may call, plans
// the calls with the highest value per credit, requests a quote, and makes the calls. A failed call costs nothing. If
// the response to a call is lost, the bot retries with the same idempotency key.
//
//   BUDGET=25 TAPELINE_API_KEY=tl_live_... npm start -w @tapeline-examples/budget-bot
import { createClient, isClientError } from "@tapeline/client"
import { plan, type Wish } from "./plan.ts"

const { BUDGET = "25", COINS = "BTC,ETH,SOL", TAPELINE_API_KEY = "", TAPELINE_URL = "http://127.0.0.1:8787" } =
  process.env

const end = (text: string): never => {
  console.error(text)
  process.exit(2)
}
if (TAPELINE_API_KEY === "") end("TAPELINE_API_KEY is not set: the service prints a key at its first start.")
const budget = Number(BUDGET)
if (!Number.isInteger(budget) || budget < 0) end(`BUDGET must be a whole number of credits, and is ${BUDGET}.`)

const client = createClient({ url: TAPELINE_URL, key: TAPELINE_API_KEY, timeout_ms: 60_000 })

interface Call extends Wish {
  readonly about: string
  readonly run: () => Promise<string>
}

// Arguments and results have the types of their tools, so a misspelt name does not compile.
const wishes: ReadonlyArray<Call> = [
  {
    tool: "get_market_overview",
    about: "the market",
    worth: 3,
    run: async () => `as of ${(await client.tools.get_market_overview()).data.as_of}`
  },
  ...COINS.split(",").flatMap((coin): ReadonlyArray<Call> => [
    {
      tool: "get_price",
      about: coin,
      worth: 5,
      run: async () => `${(await client.tools.get_price({ coin })).data.price} USD`
    },
    {
      tool: "get_iv_metrics",
      about: coin,
      worth: 6,
      run: async () => `as of ${(await client.tools.get_iv_metrics({ coin })).data.as_of}`
    },
    {
      tool: "search_news",
      about: coin,
      worth: 15,
      run: async () =>
        `${(await client.tools.search_news({ query: `${coin} price`, coin, top: 3 })).data.articles.length} articles`
    }
  ])
]

const { tools } = await client.catalogue({ view: "parameters" })
const { calls, credits, skipped } = plan(wishes, new Map(tools.map(({ credits, name }) => [name, credits])), budget)
for (const { reason, wish } of skipped) console.log(`left out: ${wish.tool} of ${wish.about}, ${reason}`)

// A free quote checks the month's credits before any call is made.
const counts = new Map<string, number>()
for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1)
const quote = calls.length === 0
  ? undefined
  : await client.quote(Array.from(counts, ([name, count]) => ({ name, count })))
console.log(
  `planned: ${calls.length} calls for ${credits} of ${budget} credits, ${quote?.credits_left ?? 0} left this month`
)

const before = (await client.usage()).credits.used
for (const { about, run, tool } of quote?.affordable === true ? calls : []) {
  try {
    console.log(`${tool} of ${about}: ${await run()}`)
  } catch (error) {
    if (!isClientError(error)) throw error
    console.log(`${tool} of ${about}: ${error._tag}, ${error.message}`)
    // Another program has spent the remaining credits of the account this month.
    if (error._tag === "OverLimit") break
  }
}
console.log(`spent: ${(await client.usage()).credits.used - before} of ${budget}`)
