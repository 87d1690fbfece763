import { documentsKinds, eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import type { KindName, LiveSettings, SourceUrls, StockList, TrackedCoin } from "@tapeline/market-live"
import { Schema } from "effect"
import { suggestion } from "../environment.ts"

/** The variable of each source's base URL. */
const urlVariables = {
  upbit: "TAPELINE_URL_UPBIT",
  bithumb: "TAPELINE_URL_BITHUMB",
  ecb: "TAPELINE_URL_ECB",
  coinPaprika: "TAPELINE_URL_COIN_PAPRIKA",
  coinGecko: "TAPELINE_URL_COIN_GECKO",
  defiLlama: "TAPELINE_URL_DEFI_LLAMA",
  binanceSpot: "TAPELINE_URL_BINANCE_SPOT",
  binanceFutures: "TAPELINE_URL_BINANCE_FUTURES",
  binanceStreams: "TAPELINE_URL_BINANCE_STREAMS",
  blueskyStreams: "TAPELINE_URL_BLUESKY_STREAMS",
  bybit: "TAPELINE_URL_BYBIT",
  bybitStreams: "TAPELINE_URL_BYBIT_STREAMS",
  okx: "TAPELINE_URL_OKX",
  okxStreams: "TAPELINE_URL_OKX_STREAMS",
  deribit: "TAPELINE_URL_DERIBIT",
  deribitHistory: "TAPELINE_URL_DERIBIT_HISTORY",
  geckoTerminal: "TAPELINE_URL_GECKO_TERMINAL",
  dexScreener: "TAPELINE_URL_DEX_SCREENER",
  edgar: "TAPELINE_URL_EDGAR",
  edgarData: "TAPELINE_URL_EDGAR_DATA",
  usTreasury: "TAPELINE_URL_US_TREASURY",
  fiscalData: "TAPELINE_URL_FISCAL_DATA",
  federalReserve: "TAPELINE_URL_FEDERAL_RESERVE",
  bls: "TAPELINE_URL_BLS",
  bea: "TAPELINE_URL_BEA",
  ecos: "TAPELINE_URL_ECOS",
  openDart: "TAPELINE_URL_OPENDART",
  yahoo: "TAPELINE_URL_YAHOO",
  yahooSite: "TAPELINE_URL_YAHOO_SITE"
} as const satisfies Record<keyof SourceUrls, string>

/** The hosts of OKX by region. OKX has separate hosts for the European Economic Area, and for the US with Australia. */
const okxUrls = {
  global: {},
  eea: { okx: "https://eea.okx.com", okxStreams: "wss://wseea.okx.com:8443" },
  us: { okx: "https://us.okx.com", okxStreams: "wss://wsus.okx.com:8443" }
} as const satisfies Record<string, SourceUrls>

type UrlVariable = typeof urlVariables[keyof SourceUrls]

/** Ports of other protocols, which `fetch` never connects to (https://fetch.spec.whatwg.org). */
const closedPorts = new Set(
  [
    "1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115",
    "117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563",
    "587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667",
    "6668 6669 6679 6697 10080"
  ].flatMap((ports) => ports.split(" "))
)

/** A base URL: a host and possibly a path, without a user, a password, a query or a fragment. */
const baseUrl = (protocols: ReadonlyArray<string>, expected: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      if (!URL.canParse(text)) return false
      const { hash, password, port, protocol, search, username } = new URL(text)
      const isBase = protocols.includes(protocol) && [hash, password, search, username].every((part) => part === "")
      // Sockets can connect to any port.
      if (!isBase || !protocol.startsWith("http") || !closedPorts.has(port)) return isBase
      return "its port is another protocol's, and `fetch` asks nobody there; choose another"
    }, { expected: `${expected} address without a user, a password, a query or a fragment` })
  )

const requests = Schema.optionalKey(baseUrl(["http:", "https:"], "an http or https"))
const sockets = Schema.optionalKey(baseUrl(["ws:", "wss:"], "a ws or wss"))

// Each name has its schema.
const urls = Object.fromEntries(
  Object.values(urlVariables).map((name) => [name, name.endsWith("_STREAMS") ? sockets : requests])
) as Record<UrlVariable, typeof requests>

/** The names that a comma-separated list contains more than once. */
const doubledIn = (list: string | undefined): ReadonlyArray<string> => {
  const all = list?.split(",") ?? []
  return [...new Set(all.filter((one, i) => all.indexOf(one) < i))]
}

const mostCoins = 200
const coinForm = "coins as venues call them, in capitals, such as BTC,ETH, between them commas and nothing else"

const coins = Schema.String.check(
  Schema.makeFilter((text) => {
    const names = text.split(",")
    const wrong = names.findIndex((name) => !/^[A-Z0-9]{1,16}$/u.test(name))
    if (wrong >= 0) return `number ${wrong + 1} of ${names.length} is no coin's name; expected ${coinForm}`
    return names.length <= mostCoins || `${names.length} coins are named; expected at most ${mostCoins}`
  })
)

const oneFeed = String.raw`\s*[a-z0-9][a-z0-9-]{0,31}\s+[a-z]{2,3}\s+https?://[^\s;]{1,900}\s+[^\s;][^;]{0,79}`

const feeds = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:none|(?:${oneFeed}(?:;|$)){1,100}\\s*)$`, "u"), {
    expected: "feeds as name language address publisher, each ended by a semicolon, or none"
  })
)

/** The contact is sent in a header, unchanged. */
const contact = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]([\x20-\x7e]{0,200}[\x21-\x7e])?$/u, { expected: "printable ASCII" }),
  Schema.isPattern(/\S@\S/u, { expected: "a name and an address for letters, such as Ann Lee ann@example.com" })
)

const key = Schema.String.check(
  Schema.isPattern(/^[\w-]{8,200}$/u, { expected: "a key as its source gave it, of letters, digits, - and _" })
)

const usStocks = Schema.String.check(
  Schema.isPattern(/^([A-Z]{1,6}(\.[A-Z]{1,2})?)(,[A-Z]{1,6}(\.[A-Z]{1,2})?){0,299}$/u, {
    expected: "US stocks as their market calls them, such as AAPL,BRK.B, separated by commas"
  })
)

const koreanStocks = Schema.String.check(
  Schema.isPattern(/^\d{5}[0-9A-Z](,\d{5}[0-9A-Z]){0,299}$/u, {
    expected: "Korean stocks as their market calls them, such as 005930,000660, separated by commas"
  })
)

const days = Schema.optionalKey(
  Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 }))).annotate({
    expected: "a number of days from 1 to 36500, or null for ever"
  })
)

const kindNames = [pointsKinds, eventsKinds, documentsKinds].flatMap(Object.keys)

const retention = Schema.fromJsonString(
  // Each name has its schema.
  Schema.Struct(Object.fromEntries(kindNames.map((kind) => [kind, days])) as Record<KindName, typeof days>)
)

/** The message for a retention of an unknown kind of series. Undefined for any other path. */
export const unknownKindOf = ([variable, kind]: ReadonlyArray<string>): string | undefined =>
  variable === "TAPELINE_RETENTION_DAYS" && kind !== undefined && !kindNames.includes(kind)
    ? `there is no such kind of series; ${suggestion(kind, kindNames)}`
    : undefined

/** The variables of the live market, in their form in the environment. */
export const liveVariables = {
  ...urls,
  TAPELINE_OKX_REGION: Schema.optionalKey(
    Schema.Literals(["global", "eea", "us"]).annotate({ expected: "global, eea or us" })
  ),
  TAPELINE_COINS: Schema.optionalKey(coins),
  TAPELINE_EDGAR_CONTACT: Schema.optionalKey(contact),
  TAPELINE_ECOS_KEY: Schema.optionalKey(key),
  TAPELINE_OPENDART_KEY: Schema.optionalKey(key),
  TAPELINE_YAHOO: Schema.optionalKey(
    Schema.Literal("personal").annotate({ expected: "personal, where nobody but you reads what it tells" })
  ),
  TAPELINE_STOCKS_US: Schema.optionalKey(usStocks),
  TAPELINE_STOCKS_KR: Schema.optionalKey(koreanStocks),
  TAPELINE_NEWS_FEEDS: Schema.optionalKey(feeds),
  TAPELINE_RETENTION_DAYS: Schema.optionalKey(retention)
} as const

type Given = Schema.Struct<typeof liveVariables>["Type"]

/**
 * The settings of `layerLiveMarket`, with the names of coins and stocks. The package knows the details of each name.
 */
export interface LiveMarketSettings extends Omit<LiveSettings, "coins" | "newsFeeds" | "stocks"> {
  /** The news feeds as the package parses them. An empty text means no feeds. */
  readonly feedList?: string
  readonly coinNames?: ReadonlyArray<TrackedCoin["coin"]>
  /** Stocks by country. A country without names has the default stocks of the package. */
  readonly stockNames?: Partial<StockList>
  /**
   * Warnings for the start: settings without effect, repeated names, and a coin that is collected although it is not
   * named.
   */
  readonly unused: ReadonlyArray<string>
}

const names = Object.keys(liveVariables)

/** The problems of live market variables that are set while another market is chosen. */
export const liveProblemsOf = (
  given: Given & { readonly TAPELINE_MARKET?: "sim" | "live" }
): ReadonlyArray<{ readonly variable: string; readonly message: string }> =>
  given.TAPELINE_MARKET === "live"
    ? []
    : names.filter((name) => Object.hasOwn(given, name)).map((variable) => ({
      variable,
      message: "counts only beside TAPELINE_MARKET=live"
    }))

/** Variables that have an effect only with another variable, which switches their source on. */
const besides = {
  TAPELINE_YAHOO: ["TAPELINE_STOCKS_US", "TAPELINE_STOCKS_KR", "TAPELINE_URL_YAHOO", "TAPELINE_URL_YAHOO_SITE"],
  TAPELINE_EDGAR_CONTACT: ["TAPELINE_URL_EDGAR", "TAPELINE_URL_EDGAR_DATA"],
  TAPELINE_ECOS_KEY: ["TAPELINE_URL_ECOS"],
  TAPELINE_OPENDART_KEY: ["TAPELINE_URL_OPENDART"]
} as const satisfies Partial<Record<keyof Given, ReadonlyArray<keyof Given>>>

/** The coin from which the market's regime, fear and greed, and the beta of other coins are computed. */
const leader = "BTC"

/** The distinct coins of a list. `leader` is added at the end if the list does not name it. */
const coinNamesOf = (list: string): ReadonlyArray<string> => [...new Set([...list.split(","), leader])]

const unusedOf = (given: Given): ReadonlyArray<string> => {
  const isSet = (name: string) => Object.hasOwn(given, name)
  const beside = Object.entries(besides).flatMap(([needed, own]) =>
    isSet(needed) ? [] : own.filter(isSet).map((name) => `${name} does nothing without ${needed}`)
  )
  const isReplaced = isSet("TAPELINE_YAHOO") && isSet("TAPELINE_URL_ECB")
  const replaced = isReplaced ? ["TAPELINE_URL_ECB does nothing beside TAPELINE_YAHOO, which tells usd_krw"] : []
  const lists = ["TAPELINE_COINS", "TAPELINE_STOCKS_US", "TAPELINE_STOCKS_KR"] as const
  const doubled = lists.flatMap((name) =>
    doubledIn(given[name]).map((one) => `${name} names ${one} more than once: it is taken once`)
  )
  const places = ["TAPELINE_URL_OKX", "TAPELINE_URL_OKX_STREAMS"]
  const placed = isSet("TAPELINE_OKX_REGION") && places.every(isSet)
    ? [`TAPELINE_OKX_REGION does nothing beside ${places.join(" and ")}, which name OKX's hosts`]
    : []
  const led = given.TAPELINE_COINS?.split(",").includes(leader) === false
    ? [`TAPELINE_COINS does not name ${leader}: it is collected too, since the market's regime is told from it`]
    : []
  return [...beside, ...replaced, ...placed, ...doubled, ...led]
}

export const liveSettingsOf = (given: Given): LiveMarketSettings => {
  const set = Object.entries(urlVariables).flatMap(([source, variable]) => {
    const url = given[variable]
    return url === undefined ? [] : [[source, url] as const]
  })
  const {
    TAPELINE_OPENDART_KEY,
    TAPELINE_COINS,
    TAPELINE_ECOS_KEY,
    TAPELINE_EDGAR_CONTACT,
    TAPELINE_RETENTION_DAYS: retention
  } = given
  const { TAPELINE_STOCKS_KR: kr, TAPELINE_STOCKS_US: us, TAPELINE_YAHOO: yahoo } = given
  const stockNames = {
    ...(us === undefined ? {} : { US: [...new Set(us.split(","))] }),
    ...(kr === undefined ? {} : { KR: [...new Set(kr.split(","))] })
  }
  return {
    urls: { ...okxUrls[given.TAPELINE_OKX_REGION ?? "global"], ...Object.fromEntries(set) },
    keys: {
      ...(TAPELINE_EDGAR_CONTACT === undefined ? {} : { edgarContact: TAPELINE_EDGAR_CONTACT }),
      ...(TAPELINE_ECOS_KEY === undefined ? {} : { ecos: TAPELINE_ECOS_KEY }),
      ...(TAPELINE_OPENDART_KEY === undefined ? {} : { openDart: TAPELINE_OPENDART_KEY })
    },
    ...(TAPELINE_COINS === undefined ? {} : { coinNames: coinNamesOf(TAPELINE_COINS) }),
    ...(yahoo === undefined ? {} : { yahoo }),
    unused: unusedOf(given),
    stockNames,
    ...(retention === undefined ? {} : { retention }),
    ...(given.TAPELINE_NEWS_FEEDS === undefined
      ? {}
      : { feedList: given.TAPELINE_NEWS_FEEDS === "none" ? "" : given.TAPELINE_NEWS_FEEDS })
  }
}
