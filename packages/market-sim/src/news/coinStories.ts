/**
 * Stories about coins: moves after they have happened, the day's close, liquidations, listings, treasuries.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket, Move } from "../coin/CoinMarket.ts"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { derive, type Key, uniform } from "../kernel/random.ts"
import { operationsOf } from "../token/stablecoins.ts"
import type { World } from "../world.ts"
import { delayMs, money, type NewsLanguage, percent, priceText, type Story, toneOf, worldLanguage } from "./story.ts"

/** Four-hour moves of this many usual deviations are news, more of the large coins'. */
const newsworthy = 2.6
const spanMs = 4 * hourMs

const moveTitles: Readonly<
  Record<NewsLanguage, { readonly up: ReadonlyArray<string>; readonly down: ReadonlyArray<string> }>
> = {
  en: {
    up: [
      "{name} [rallies|climbs|gains|jumps] {pct} in four hours to {price}",
      "{coin} [up|rises] {pct} as [buyers return|volume picks up|shorts retreat]",
      "[Why is {name} up today?|{name} strength:] price [advances|adds] {pct} to {price}"
    ],
    down: [
      "{name} [slides|drops|falls|tumbles] {pct} in four hours to {price}",
      "{coin} [down|sinks] {pct} as [sellers press|support gives way|longs retreat]",
      "[Why is {name} down today?|{name} under pressure:] price [loses|sheds] {pct} to {price}"
    ]
  },
  ko: {
    up: ["{name} 4시간 만에 {pct} [급등|상승]… {price}", "{coin} {pct} [반등|강세], [매수세 유입|거래량 증가]"],
    down: ["{name} 4시간 만에 {pct} [급락|하락]… {price}", "{coin} {pct} [약세|급락], [매도 물량 출회|지지선 이탈]"]
  },
  ru: {
    up: [
      "{name} вырос на {pct} за четыре часа, до {price}",
      "{coin} прибавил {pct}: [покупатели вернулись|объёмы растут]"
    ],
    down: [
      "{name} упал на {pct} за четыре часа, до {price}",
      "{coin} потерял {pct}: [продавцы давят|поддержка не устояла]"
    ]
  }
}

const moveBodies: Readonly<Record<NewsLanguage, ReadonlyArray<string>>> = {
  en: [
    "{name} ({coin}) {went} {pct} between {from} and {to} UTC, {moved} from {before} to {price}, according to aggregated spot prices.",
    "[Turnover over the window reached {volume}|About {volume} changed hands over the window], [{ratio} times what such a window usually brings|a ratio of {ratio} to the usual pace].",
    "[Bitcoin {btcWent} {btc} over the same hours|The benchmark, bitcoin, {btcWent} {btc} meanwhile], [leaving the token's move mostly its own|so part of the move came from the wider market|a reminder of how correlated the asset class remains].",
    "[Traders pointed to|Desks cited|Commentary centred on] [thin order books around {level}|stops clustered near {level}|repositioning in perpetual futures|rotation within the {sector} group] [as the likely driver|while no single headline explained it|ahead of the next session].",
    "[Analysts said a sustained hold of {level} would matter more than the move itself.|Whether {level} holds into the daily close is the next test.|Options desks reported demand for [short-dated hedges|upside and downside alike].]"
  ],
  ko: [
    "{name}({coin})이(가) UTC 기준 {from}~{to} 사이 {before}에서 {price}로 {pct} {wentKo}.",
    "같은 시간 거래대금은 {volume}로 평소의 {ratio}배 수준이었다.",
    "비트코인은 같은 기간 {btc} {btcKo}. [시장 전반의 흐름과 함께 움직였다는 평가다|개별 수급 영향이 컸다는 분석이 나온다].",
    "[시장에서는 {level} 부근의 물량 소화 여부를 주목하고 있다.|업계 관계자는 파생상품 포지션 정리가 영향을 줬다고 말했다.]"
  ],
  ru: [
    "{name} ({coin}) с {from} до {to} UTC {wentRu} на {pct}: цена изменилась с {before} до {price}.",
    "Оборот за это время составил {volume}, примерно в {ratio} раза от обычного.",
    "Биткоин за те же часы {btcRu} на {btc}. [Движение шло вместе с рынком.|Аналитики говорят о спросе на сам актив.]",
    "[Участники рынка следят за уровнем {level}.|По словам трейдеров, сыграли роль стопы у {level}.]"
  ]
}

const clock = (time: number): string => new Date(time).toISOString().slice(11, 16)

/** A round price near another. */
const levelText = (price: number): string => {
  const step = 10 ** Math.floor(Math.log10(price)) / 20
  return priceText(Number((Math.round(price / step) * step).toPrecision(8)))
}

const moveStory = (world: World, market: CoinMarket, move: Move, key: Key): Story => {
  const { coin, name, sector, dailySd, dailyVolumeUsd } = market.spec
  const language = worldLanguage(key, 1)
  const up = move.change > 0
  const size = move.to / move.from - 1
  const bitcoin = world.coin("BTC")!
  const btc = Math.exp(bitcoin.logPrice(move.endAt) - bitcoin.logPrice(move.time)) - 1
  const volume = market.totals(move.time, move.endAt)?.quoteVolume ?? 0
  const values: Values = {
    coin,
    name,
    sector,
    pct: percent(size),
    before: priceText(move.from),
    price: priceText(move.to),
    level: levelText(move.to),
    from: clock(move.time),
    to: clock(move.endAt),
    volume: money(volume),
    ratio: (volume / (dailyVolumeUsd / 6)).toFixed(1),
    btc: percent(btc),
    went: up ? pick(["rose", "gained", "rallied"], key, 2) : pick(["fell", "dropped", "declined"], key, 2),
    moved: up ? "climbing" : "sliding",
    wentKo: up ? "상승했다" : "하락했다",
    wentRu: up ? "вырос" : "упал",
    btcWent: btc > 0 ? "gained" : "lost",
    btcKo: btc > 0 ? "올랐다" : "내렸다",
    btcRu: btc > 0 ? "вырос" : "снизился"
  }
  const bodies = moveBodies[language].filter((sentence) => coin !== "BTC" || !sentence.includes("{btc}"))
  return {
    time: move.endAt + delayMs(key, 0),
    language,
    coins: [coin],
    symbols: [],
    sentiment: toneOf(move.change / dailySd * 0.8),
    title: fill(pick(moveTitles[language][up ? "up" : "down"], key, 3), values, key, 10),
    body: bodies.map((sentence, i) => fill(sentence, values, key, 20 + 8 * i)).join(" "),
    key
  }
}

/** Moves whose windows have closed with `from <= end < to`. */
export const moveStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  world.markets.flatMap((market) => {
    if (market.spec.isStablecoin) return []
    const typical = market.spec.dailySd / Math.sqrt(6)
    return market.moves("4h", from - spanMs, to, newsworthy * typical)
      .filter(({ endAt }) => endAt >= from && endAt < to)
      .map((move) =>
        moveStory(
          world,
          market,
          move,
          derive(world.key(`news moves ${market.spec.coin}`), Math.floor(move.time / hourMs), 0)
        )
      )
  })

const wrapSentences = [
  "Bitcoin {btcWent} {btc} over the day to {price}, and ether {ethWent} {eth}.",
  "[Of {count} coins followed here, {rising} closed higher.|{rising} of {count} large tokens ended the day in the green.]",
  "[The strongest was {best} at {bestPct}, while {worst} brought up the rear at {worstPct}.|{best} led ({bestPct}); {worst} lagged ({worstPct}).]",
  "[Liquidity thinned into the New York evening.|Asian hours saw most of the turnover.|Spot turnover came to {volume} for bitcoin alone.]",
  "[Traders now look to the economic calendar.|Positioning in futures was little changed.|Attention turns to funding and the weekly options expiry.]"
]

/** The day's close, told shortly after midnight UTC. */
export const wrapStory = (world: World, day: number): Story => {
  const key = derive(world.key("news wrap"), day, 0)
  const end = day * dayMs
  const moves = world.markets
    .filter(({ spec, listedAt }) => !spec.isStablecoin && listedAt <= end - dayMs)
    .map((market) => ({
      name: market.spec.name,
      change: Math.exp(market.logPrice(end) - market.logPrice(end - dayMs)) - 1
    }))
    .sort((a, b) => b.change - a.change)
  const of = (coin: string): number => {
    const market = world.coin(coin)!
    return Math.exp(market.logPrice(end) - market.logPrice(end - dayMs)) - 1
  }
  const btc = of("BTC")
  const eth = of("ETH")
  const signed = (x: number): string => `${x < 0 ? "-" : "+"}${percent(x)}`
  const best = moves[0]!
  const worst = moves.at(-1)!
  const values: Values = {
    btc: percent(btc),
    btcWent: btc > 0 ? "gained" : "lost",
    eth: percent(eth),
    ethWent: eth > 0 ? "gained" : "lost",
    price: priceText(world.coin("BTC")!.price(end)),
    count: String(moves.length),
    rising: String(moves.filter(({ change }) => change > 0).length),
    best: best.name,
    bestPct: signed(best.change),
    worst: worst.name,
    worstPct: signed(worst.change),
    volume: money(world.coin("BTC")!.totals(end - dayMs, end)?.quoteVolume ?? 0)
  }
  return {
    time: end + delayMs(key, 0),
    language: "en",
    coins: ["BTC", "ETH"],
    symbols: [],
    sentiment: toneOf((btc + eth) / 0.06),
    title: fill(
      btc > 0
        ? "Crypto close: bitcoin [up|gains] {btc}, {rising} of {count} coins higher"
        : "Crypto close: bitcoin [down|loses] {btc}, {rising} of {count} coins higher",
      values,
      key,
      10
    ),
    body: wrapSentences.map((sentence, i) => fill(sentence, values, key, 20 + 5 * i)).join(" "),
    key
  }
}

/** An hour in which this share of a usual day's volume was liquidated is news. */
const cascadeShare = 0.004

/** Hours of heavy liquidations that ended with `from <= end < to`, of the three largest markets. */
export const liquidationStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  ["BTC", "ETH", "SOL"].flatMap((coin) => {
    const market = world.coin(coin)!
    const stories: Array<Story> = []
    for (let end = Math.ceil(from / hourMs) * hourMs; end < to; end += hourMs) {
      if (end - hourMs < market.listedAt) continue
      const usd = world.liquidations.hourUsd(market, end - hourMs)
      if (usd < cascadeShare * market.spec.dailyVolumeUsd) continue
      const key = derive(world.key(`news liquidations ${coin}`), Math.floor(end / hourMs), 0)
      const change = market.logPrice(end) - market.logPrice(end - hourMs)
      const side = change < 0 ? "long" : "short"
      const values: Values = {
        coin,
        name: market.spec.name,
        usd: money(usd),
        side,
        price: priceText(market.price(end)),
        pct: percent(Math.expm1(change))
      }
      stories.push({
        time: end + delayMs(key, 0),
        language: "en",
        coins: [coin],
        symbols: [],
        sentiment: toneOf(change / market.spec.dailySd * 1.5),
        title: fill("{usd} in {coin} [leveraged positions|futures] liquidated within an hour", values, key, 10),
        body: [
          "Forced closures of {name} perpetual positions came to {usd} between the last two full hours, most of them {side}s.",
          "The price [moved|changed] {pct} over the hour, to {price}.",
          "[Open interest shrank as margin ran out|Exchanges' insurance funds were not called upon|Risk desks expect leverage to rebuild slowly], [and funding moved back towards neutral|while spot buyers and sellers stepped aside]."
        ].map((sentence, i) => fill(sentence, values, key, 20 + 5 * i)).join(" "),
        key
      })
    }
    return stories
  })

/** Markets that Korean exchanges opened with `from <= time < to`. */
export const listingStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  world.korea.listings(from, to).map(({ coin, exchange, listedAt }) => {
    const { name } = world.coin(coin)!.spec
    const key = derive(world.key(`news listing ${coin}`), Math.floor(listedAt / hourMs), 0)
    const language: NewsLanguage = uniform(key, 1) < 0.6 ? "ko" : "en"
    const shown = exchange === "upbit"
      ? { en: "Upbit", ko: "업비트", subject: "업비트가" }
      : { en: "Bithumb", ko: "빗썸", subject: "빗썸이" }
    return {
      time: listedAt + delayMs(key, 0),
      language,
      coins: [coin],
      symbols: [],
      sentiment: 0.45,
      title: language === "ko"
        ? `${shown.ko}, ${name}(${coin}) 원화 마켓 거래 개시`
        : `${shown.en} opens won trading in ${name} (${coin})`,
      body: language === "ko"
        ? fill(
          `${shown.subject} ${name}(${coin}) 원화 마켓 상장을 완료하고 거래를 시작했다. [상장 직후 국내 가격이 해외보다 높게 형성되는 경우가 많아|초기에는 매수 주문 제한이 적용돼] 투자자 주의가 요구된다. [거래소는 유의 사항을 공지했다.|입출금은 단계적으로 열린다.]`,
          {},
          key,
          20
        )
        : fill(
          `${shown.en} began trading of ${name} against the Korean won. [Fresh listings on Korean venues often trade far above world prices for hours|Buy orders were limited for the first minutes, as is customary], [as deposits take time to arrive|and arbitrage is slowed by capital controls]. [Other won markets of the token are unaffected.|The exchange asked users to mind volatility.]`,
          {},
          key,
          20
        ),
      key
    }
  })

/** Mints and burns of at least this much are told. */
const leastOperationUsd = 250e6

/** What the treasuries of stablecoins did on a day, in `[from, to)`. */
export const treasuryStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  ["USDT", "USDC"].flatMap((coin) => {
    const market = world.coin(coin)!
    const days = [Math.floor(from / dayMs), Math.floor((to - 1) / dayMs)]
    return [...new Set(days)]
      .flatMap((day) => operationsOf(world, market, day))
      .filter(({ time, amount }) => time >= from && time < to && Math.abs(amount) >= leastOperationUsd)
      .map(({ time, amount }): Story => {
        const key = derive(world.key(`news treasury ${coin}`), Math.floor(time / 1000), 0)
        const usd = money(Math.abs(amount))
        const minted = amount > 0
        return {
          time: time + delayMs(key, 0),
          language: "en",
          coins: [coin],
          symbols: [],
          sentiment: minted ? 0.2 : -0.15,
          title: minted
            ? `${usd} of ${coin} minted at the issuer's treasury`
            : `${usd} of ${coin} burned at the issuer's treasury`,
          body: fill(
            minted
              ? "The issuer of {name} authorised {usd} of new tokens. [Fresh stablecoin supply is often read as demand for dollars on exchanges|Issuance tends to follow inflows from trading firms], [though tokens may sit in the treasury before they circulate|and part of it replaces redemptions on other chains]."
              : "The issuer of {name} removed {usd} from circulation after redemptions. [A shrinking float usually means that holders prefer bank dollars|Redemptions often follow weaker trading], [and reserves fall by the same amount|although chain swaps can also explain it].",
            { name: market.spec.name, usd },
            key,
            20
          ),
          key
        }
      })
  })
