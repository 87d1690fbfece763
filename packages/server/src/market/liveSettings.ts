import { documentsKinds, eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import type { KindName, LiveSettings, SourceUrls, StockList, TrackedCoin } from "@tapeline/market-live"
import { Schema } from "effect"
import { suggestName } from "../environment.ts"

/** The environment variable that sets the base URL of each data source. */
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

/**
 * The hosts of the OKX exchange by region: OKX has separate hosts for the European Economic Area, and for the US and
 * Australia.
 */
const okxUrls = {
  global: {},
  eea: { okx: "https://eea.okx.com", okxStreams: "wss://wseea.okx.com:8443" },
  us: { okx: "https://us.okx.com", okxStreams: "wss://wsus.okx.com:8443" }
} as const satisfies Record<string, SourceUrls>

type UrlVariable = typeof urlVariables[keyof SourceUrls]

/** The ports to which `fetch` never connects, because other protocols use them (https://fetch.spec.whatwg.org). */
const portsBlockedByFetch = new Set(
  [
    "1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115",
    "117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563",
    "587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667",
    "6668 6669 6679 6697 10080"
  ].flatMap((ports) => ports.split(" "))
)

/** Accepts a base URL: a host and optionally a path, without a user, a password, a query or a fragment. */
const baseUrl = (protocols: ReadonlyArray<string>, expected: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      if (!URL.canParse(text)) return false
      const { hash, password, port, protocol, search, username } = new URL(text)
      const isBase = protocols.includes(protocol) && [hash, password, search, username].every((part) => part === "")
      // `fetch` does not connect to some ports, but WebSockets connect to any port.
      if (!isBase || !protocol.startsWith("http") || !portsBlockedByFetch.has(port)) return isBase
      return "`fetch` blocks its port, which another protocol uses; choose another port"
    }, { expected: `${expected} address without a user, a password, a query or a fragment` })
  )

const httpUrl = Schema.optionalKey(baseUrl(["http:", "https:"], "an http or https"))
const webSocketUrl = Schema.optionalKey(baseUrl(["ws:", "wss:"], "a ws or wss"))

// The cast is correct, because each name in `urlVariables` gets a schema.
const sourceUrlFields = Object.fromEntries(
  Object.values(urlVariables).map((name) => [name, name.endsWith("_STREAMS") ? webSocketUrl : httpUrl])
) as Record<UrlVariable, typeof httpUrl>

const duplicatesIn = (list: string | undefined): ReadonlyArray<string> => {
  const entries = list?.split(",") ?? []
  return [...new Set(entries.filter((one, i) => entries.indexOf(one) < i))]
}

const maxCoins = 200
const coinListForm = "tickers of coins in capitals, separated by commas without spaces, such as BTC,ETH"

const coinListSchema = Schema.String.check(
  Schema.makeFilter((text) => {
    const names = text.split(",")
    const invalidIndex = names.findIndex((name) => !/^[A-Z0-9]{1,16}$/u.test(name))
    if (invalidIndex >= 0) {
      return `entry ${invalidIndex + 1} of ${names.length} is not a ticker; expected ${coinListForm}`
    }
    return names.length <= maxCoins || `the list has ${names.length} coins; expected at most ${maxCoins}`
  })
)

const feedPattern = String.raw`\s*[a-z0-9][a-z0-9-]{0,31}\s+[a-z]{2,3}\s+https?://[^\s;]{1,900}\s+[^\s;][^;]{0,79}`

const feedListSchema = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:none|(?:${feedPattern}(?:;|$)){1,100}\\s*)$`, "u"), {
    expected: "feeds in the form name language address publisher; with a semicolon after each, or none"
  })
)

/** Accepts a contact in printable ASCII with a name and an email address. */
const contactSchema = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]([\x20-\x7e]{0,200}[\x21-\x7e])?$/u, { expected: "printable ASCII" }),
  Schema.isPattern(/\S@\S/u, { expected: "a name and an email address, such as Ann Lee ann@example.com" })
)

const apiKeySchema = Schema.String.check(
  Schema.isPattern(/^[\w-]{8,200}$/u, { expected: "the key of the source, with only letters, digits, - and _" })
)

const usStockListSchema = Schema.String.check(
  Schema.isPattern(/^([A-Z]{1,6}(\.[A-Z]{1,2})?)(,[A-Z]{1,6}(\.[A-Z]{1,2})?){0,299}$/u, {
    expected: "tickers of US stocks separated by commas, such as AAPL,BRK.B"
  })
)

const koreanStockListSchema = Schema.String.check(
  Schema.isPattern(/^\d{5}[0-9A-Z](,\d{5}[0-9A-Z]){0,299}$/u, {
    expected: "codes of Korean stocks separated by commas, such as 005930,000660"
  })
)

const retentionDaysSchema = Schema.optionalKey(
  Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 }))).annotate({
    expected: "a number of days from 1 to 36500, or null for no limit"
  })
)

const kindNames = [pointsKinds, eventsKinds, documentsKinds].flatMap(Object.keys)

const retentionFields = Object.fromEntries(kindNames.map((kind) => [kind, retentionDaysSchema]))

const retentionSchema = Schema.fromJsonString(
  // The cast is correct, because each kind of series gets a schema.
  Schema.Struct(retentionFields as Record<KindName, typeof retentionDaysSchema>)
)

/** Returns an error message if a retention setting names an unknown kind of series, or else undefined. */
export const unknownKindMessage = ([variable, kind]: ReadonlyArray<string>): string | undefined =>
  variable === "TAPELINE_RETENTION_DAYS" && kind !== undefined && !kindNames.includes(kind)
    ? `there is no such kind of series; ${suggestName(kind, kindNames)}`
    : undefined

/** The schemas of the environment variables that configure the live market. */
export const liveVariables = {
  ...sourceUrlFields,
  TAPELINE_OKX_REGION: Schema.optionalKey(
    Schema.Literals(["global", "eea", "us"]).annotate({ expected: "global, eea or us" })
  ),
  TAPELINE_COINS: Schema.optionalKey(coinListSchema),
  TAPELINE_EDGAR_CONTACT: Schema.optionalKey(contactSchema),
  TAPELINE_ECOS_KEY: Schema.optionalKey(apiKeySchema),
  TAPELINE_OPENDART_KEY: Schema.optionalKey(apiKeySchema),
  TAPELINE_YAHOO: Schema.optionalKey(
    Schema.Literal("personal").annotate({ expected: "personal, if only you read its data" })
  ),
  TAPELINE_STOCKS_US: Schema.optionalKey(usStockListSchema),
  TAPELINE_STOCKS_KR: Schema.optionalKey(koreanStockListSchema),
  TAPELINE_NEWS_FEEDS: Schema.optionalKey(feedListSchema),
  TAPELINE_RETENTION_DAYS: Schema.optionalKey(retentionSchema)
} as const

type LiveEnvironment = Schema.Struct<typeof liveVariables>["Type"]

/**
 * The settings of `layerLiveMarket`, with only the names of coins and stocks, whose details `@tapeline/market-live`
 * has.
 */
export interface LiveMarketSettings extends Omit<LiveSettings, "coins" | "newsFeeds" | "stocks"> {
  /** The news feeds as unparsed text. If no feeds are collected, `feedList` is empty. */
  readonly feedList?: string
  readonly coinNames?: ReadonlyArray<TrackedCoin["coin"]>
  /** The stock symbols by country. If a country uses the default stocks of the package, the country is omitted. */
  readonly stockNames?: Partial<StockList>
  /**
   * Warnings for the operator at the start: settings without effect, duplicate entries, and a missing required coin.
   */
  readonly warnings: ReadonlyArray<string>
}

const liveNames = Object.keys(liveVariables)

/** Returns the live market's environment variables that are set although another market is configured. */
export const findLiveProblems = (
  environment: LiveEnvironment & { readonly TAPELINE_MARKET?: "sim" | "live" }
): ReadonlyArray<{ readonly variable: string; readonly message: string }> =>
  environment.TAPELINE_MARKET === "live"
    ? []
    : liveNames.filter((name) => Object.hasOwn(environment, name)).map((variable) => ({
      variable,
      message: "requires TAPELINE_MARKET=live; set it, or remove this"
    }))

/** The environment variables that have an effect only if another variable enables their data source. */
const dependentVariables = {
  TAPELINE_YAHOO: ["TAPELINE_STOCKS_US", "TAPELINE_STOCKS_KR", "TAPELINE_URL_YAHOO", "TAPELINE_URL_YAHOO_SITE"],
  TAPELINE_EDGAR_CONTACT: ["TAPELINE_URL_EDGAR", "TAPELINE_URL_EDGAR_DATA"],
  TAPELINE_ECOS_KEY: ["TAPELINE_URL_ECOS"],
  TAPELINE_OPENDART_KEY: ["TAPELINE_URL_OPENDART"]
} as const satisfies Partial<Record<keyof LiveEnvironment, ReadonlyArray<keyof LiveEnvironment>>>

/** The coin that is required to compute the market regime, fear and greed, and the beta of other coins. */
const requiredCoin = "BTC"

/** Returns the distinct coins of a comma-separated list, with `requiredCoin` at the end if missing. */
const parseCoinNames = (list: string): ReadonlyArray<string> => [...new Set([...list.split(","), requiredCoin])]

const findWarnings = (environment: LiveEnvironment): ReadonlyArray<string> => {
  const isSet = (name: string) => Object.hasOwn(environment, name)
  const ineffective = Object.entries(dependentVariables).flatMap(([needed, own]) =>
    isSet(needed) ? [] : own.filter(isSet).map((name) => `${name} has no effect without ${needed}`)
  )
  const isEcbReplaced = isSet("TAPELINE_YAHOO") && isSet("TAPELINE_URL_ECB")
  const ecbWarnings = isEcbReplaced ? ["TAPELINE_URL_ECB has no effect: TAPELINE_YAHOO provides usd_krw"] : []
  const listVariables = ["TAPELINE_COINS", "TAPELINE_STOCKS_US", "TAPELINE_STOCKS_KR"] as const
  const duplicateWarnings = listVariables.flatMap((name) =>
    duplicatesIn(environment[name]).map((duplicate) =>
      `${name} contains ${duplicate} more than once; duplicates are ignored`
    )
  )
  const okxUrlVariables = ["TAPELINE_URL_OKX", "TAPELINE_URL_OKX_STREAMS"]
  const regionWarnings = isSet("TAPELINE_OKX_REGION") && okxUrlVariables.every(isSet)
    ? [`TAPELINE_OKX_REGION has no effect with ${okxUrlVariables.join(" and ")}, which set OKX's hosts`]
    : []
  const requiredCoinWarnings = environment.TAPELINE_COINS?.split(",").includes(requiredCoin) === false
    ? [`TAPELINE_COINS does not contain ${requiredCoin}, which is collected too because the market regime needs it`]
    : []
  return [...ineffective, ...ecbWarnings, ...regionWarnings, ...duplicateWarnings, ...requiredCoinWarnings]
}

export const liveSettingsOf = (environment: LiveEnvironment): LiveMarketSettings => {
  const configuredUrls = Object.entries(urlVariables).flatMap(([source, variable]) => {
    const url = environment[variable]
    return url === undefined ? [] : [[source, url] as const]
  })
  const {
    TAPELINE_OPENDART_KEY,
    TAPELINE_COINS,
    TAPELINE_ECOS_KEY,
    TAPELINE_EDGAR_CONTACT,
    TAPELINE_RETENTION_DAYS: retention
  } = environment
  const { TAPELINE_STOCKS_KR: kr, TAPELINE_STOCKS_US: us, TAPELINE_YAHOO: yahoo } = environment
  const stockNames = {
    ...(us === undefined ? {} : { US: [...new Set(us.split(","))] }),
    ...(kr === undefined ? {} : { KR: [...new Set(kr.split(","))] })
  }
  return {
    urls: { ...okxUrls[environment.TAPELINE_OKX_REGION ?? "global"], ...Object.fromEntries(configuredUrls) },
    keys: {
      ...(TAPELINE_EDGAR_CONTACT === undefined ? {} : { edgarContact: TAPELINE_EDGAR_CONTACT }),
      ...(TAPELINE_ECOS_KEY === undefined ? {} : { ecos: TAPELINE_ECOS_KEY }),
      ...(TAPELINE_OPENDART_KEY === undefined ? {} : { openDart: TAPELINE_OPENDART_KEY })
    },
    ...(TAPELINE_COINS === undefined ? {} : { coinNames: parseCoinNames(TAPELINE_COINS) }),
    ...(yahoo === undefined ? {} : { yahoo }),
    warnings: findWarnings(environment),
    stockNames,
    ...(retention === undefined ? {} : { retention }),
    ...(environment.TAPELINE_NEWS_FEEDS === undefined
      ? {}
      : { feedList: environment.TAPELINE_NEWS_FEEDS === "none" ? "" : environment.TAPELINE_NEWS_FEEDS })
  }
}
