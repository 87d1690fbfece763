import { DerivedStore, runAsOf, Toolbox, tools } from "@tapeline/core"
import { type Fence, MarketStore } from "@tapeline/core/market/store"
import {
  coinDocument,
  derivativesVenues,
  storedCoinDerivatives,
  storedCoinPrices,
  storedOrderBooks,
  storedSocialFeed
} from "@tapeline/market-live"
import { layerSimulatedMarket } from "@tapeline/server"
import { callContext } from "@tapeline/testing/toolCalls"
import { Effect, Layer, Schema } from "effect"

/** The arguments of the measured tools, by tool name. Each tool costs one credit and reads candles or prices. */
const toolArguments = {
  get_price: {},
  get_price_at: { minutes_ago: 3_000 },
  get_price_history: { tf: "1h", bars: 300 },
  get_indicators: { tf: "4h" },
  get_volatility: {},
  get_volume_profile: {},
  get_vwap: {},
  get_levels: {},
  get_seasonality: {},
  get_movers: null,
  get_market_overview: null,
  screen_coins: { filters: [{ field: "rsi", op: "lt", value: 60 }] }
} as const

const allCoinTools: ReadonlyArray<string> = ["get_movers", "get_market_overview", "screen_coins"]

/**
 * Writes coin details and listing times to the store. The market finds a coin only if the store contains the coin's
 * details.
 */
export const writeCoinFacts = (
  store: MarketStore["Service"],
  fence: Fence,
  coins: ReadonlyArray<string>,
  { listedAt, time }: { readonly listedAt: number; readonly time: number }
) =>
  store.writeDocuments({
    kind: coinDocument.kind,
    fence,
    documents: coins.map((key) =>
      coinDocument.encodeRow({ key, time, source: "bench" }, {
        name: key,
        sector: "layer1",
        circulatingSupply: null,
        maxSupply: null,
        listedAt,
        delistedAt: null,
        isStablecoin: false
      })
    )
  })

export interface ToolRead {
  readonly name: string
  /** The duration of the first call in the process, in ms. */
  readonly first: number
  readonly sample: ReadonlyArray<number>
}

/** Measures the duration of each tool's calls. The clock is fixed, and the calls alternate between two coins. */
export const measureToolReads = (
  store: MarketStore["Service"],
  coins: readonly [string, string],
  at: number,
  rounds: number
): Effect.Effect<ReadonlyArray<ToolRead>> => {
  const storedPorts = Layer.mergeAll(
    storedCoinPrices,
    storedCoinDerivatives(derivativesVenues),
    storedOrderBooks,
    storedSocialFeed
  ).pipe(Layer.provide(Layer.succeed(MarketStore, store)))
  const market = DerivedStore.layer.pipe(Layer.provideMerge(Layer.merge(layerSimulatedMarket(1), storedPorts)))
  const selectedTools = Toolbox.layer(tools.filter(({ specification: { name } }) => Object.hasOwn(toolArguments, name)))
  const measure = Effect.gen(function*() {
    const toolbox = yield* Toolbox
    const reads: Array<ToolRead> = []
    for (const [name, toolOwnArguments] of Object.entries(toolArguments)) {
      const { handler, specification } = toolbox.find(name)!
      const decodeArguments = Schema.decodeUnknownSync(specification.parameters)
      const tookMs: Array<number> = []
      for (let round = 0; round <= rounds; round++) {
        const args = decodeArguments(
          allCoinTools.includes(name) ? toolOwnArguments ?? {} : { coin: coins[round % 2], ...toolOwnArguments }
        )
        const startedAt = performance.now()
        yield* Effect.orDie(handler(args, callContext))
        tookMs.push(performance.now() - startedAt)
      }
      const [first, ...sample] = tookMs
      reads.push({ name, first: first!, sample })
    }
    return reads
  })
  return runAsOf(Effect.provide(measure, Layer.provideMerge(selectedTools, market)), at).pipe(Effect.orDie)
}
