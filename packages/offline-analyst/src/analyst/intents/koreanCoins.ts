import type { Data } from "../Findings.ts"
import { ask, type Desk, type Intent, type Section } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { asksPrice } from "./price.ts"
import { questions } from "./questions.ts"

const asksPremium = rule(
  "kimchi(?: premium)?|korea(?:n)? premium|kimp|upbit premium|(?:arb|arbitrage|gap|spread|difference) .{0,20}(?:upbit|bithumb)|korea pay(?:s|ing)?",
  "김치\\s?프리미엄|(?:업비트|빗썸).{0,24}(?:차이|갭|차익|아비트)|김프|역프|코리아\\s?프리미엄|한국\\s?프리미엄",
  "кимчи|(?:разниц|арбитраж).{0,24}(?:апбит|upbit|bithumb|битхамб)|корейск[а-я]+ преми"
)
/** Matches questions about the price on a Korean exchange. */
const onKoreanExchange = rule("upbit|bithumb", "업비트|빗썸", "апбит|upbit|битхамб")
const asksLocalPrice = ({ coins, horizon, moment, words }: Reading): boolean =>
  coins.length > 0 && horizon === null && moment === null && onKoreanExchange.test(words) && asksPrice.test(words) &&
  !/volume|거래량|거래대금|объем/u.test(words) && !asksListings.test(words)
const asksListings = rule(
  "(?:new|recent|latest|fresh) (?:korean |upbit |bithumb |krw )*listings?|listed on (?:upbit|bithumb)|listings? (?:on|at) (?:upbit|bithumb)|upbit listings?|bithumb listings?|(?:exchanges?|upbit|bithumb) (?:just |recently )?list(?:ed)?|newly listed",
  "(?:이번|다음)\\s?주 상장|상장 ?(?:뭐|있)|신규\\s?상장|새로\\s?상장|상장\\s?(?:코인|소식)|업비트\\s?상장|빗썸\\s?상장",
  "нов[а-я]+ листинг|листинг[а-я]* (?:на|в) |листинг|(?:за)?лист(?:или|нули|ят)"
)

const said = {
  local: text(
    "{name} costs {krw} on {exchange}; that is {premium} against {usd}.",
    "{name} {exchange} 가격은 {krw}입니다. 해외 {usd} 대비 {premium}.",
    "{name} на {exchange} стоит {krw}; это {premium} к {usd}."
  ),
  verdict: text(
    "The kimchi premium of {name} is {premium} on {exchange}: {krw} in Korea against {usd}.",
    "{name} 김치 프리미엄은 {exchange} 기준 {premium}입니다. 국내 {krw}, 해외 {usd}.",
    "Кимчи-премия {name} на {exchange}: {premium}; в Корее {krw} против {usd}."
  ),
  legs: text(
    "Currency leg {currency}, coin leg {asset}.",
    "환율 요인 {currency}, 코인 요인 {asset}.",
    "Валютная часть {currency}, часть самой монеты {asset}."
  ),
  rank: text(
    "Percentile {percentile} (n = {n}); dollar at {fx} won.",
    "백분위 {percentile}(n = {n}), 환율 {fx}원.",
    "Перцентиль {percentile} (n = {n}); доллар {fx} вон."
  ),
  earlier: text("At {time} it was {earlier}.", "{time} 당시 {earlier}.", "На {time} была {earlier}."),
  volume: text(
    "Won volume of 24 hours {volume}.",
    "24시간 원화 거래대금 {volume}.",
    "Объем в вонах за 24 часа {volume}."
  ),
  rows: text("Premiums: {rows}.", "프리미엄: {rows}.", "Премии: {rows}."),
  row: text("{coin} {premium}", "{coin} {premium}", "{coin} {premium}"),
  widest: text(
    "The widest kimchi premium is that of {coin}: {premium} on {exchange} (24-hour volume {volume}; {scanned} coins scanned).",
    "김치 프리미엄이 가장 큰 코인은 {coin}입니다. {exchange} {premium}(24시간 거래대금 {volume}, {scanned}개 조회).",
    "Самая большая кимчи-премия у {coin}: {premium} на {exchange} (объем за 24 часа {volume}; просмотрено монет: {scanned})."
  ),
  widestRow: text(
    "{coin}: {premium} on {exchange}, volume {volume}.",
    "{coin}: {exchange} {premium}, 거래대금 {volume}.",
    "{coin}: {premium} на {exchange}, объем {volume}."
  ),
  thin: text(
    "Premiums of fresh or thinly traded markets are of low reliability.",
    "신규 상장이나 거래가 적은 마켓의 프리미엄은 신뢰도가 낮습니다.",
    "Премии новых и малоликвидных рынков ненадежны."
  ),
  change: text(
    "A coin leg that grows means Korean demand of its own; a currency leg that grows only says that dollars are dear there.",
    "코인 요인이 커지면 국내 수요가 강하다는 뜻이고, 환율 요인만 커지면 국내 달러(테더)가 비싸졌다는 뜻입니다.",
    "Рост части монеты означает собственный спрос Кореи; рост валютной части лишь говорит, что там подорожали доллары."
  ),
  why: text(
    "Only the coin leg is about the coin: the rest is what a dollar of stablecoin costs in won over the interbank rate.",
    "코인 자체의 수요는 코인 요인뿐입니다. 나머지는 테더의 원화 가격이 은행 환율보다 비싼 만큼입니다.",
    "О монете говорит только ее часть: остальное это наценка стейблкоина в вонах к межбанковскому курсу."
  ),
  level: text(
    "That is {level} for its own past.",
    "자체 과거에 비해 {level} 수준입니다.",
    "Для её собственного прошлого это {level}."
  ),
  before: text(
    "At {time} the premium was {premium}.",
    "{time} 프리미엄은 {premium}였습니다.",
    "На {time} премия была {premium}."
  ),
  tooFar: text(
    "The premium is kept for 48 hours only, so I have no number for that time.",
    "프리미엄 기록은 48시간까지만 있어 그때의 수치는 없습니다.",
    "Премия хранится только 48 часов, поэтому числа за то время нет."
  ),
  listVerdict: text(
    "The newest won market is {coin} on {exchange}, {hours} hours old.",
    "가장 최근 원화 상장은 {exchange}의 {coin}이며 {hours}시간 지났습니다.",
    "Самый новый рынок в вонах: {coin} на {exchange}, ему {hours} ч."
  ),
  listed: text(
    "{coin} ({exchange}, {date}): premium {premium}",
    "{coin}({exchange}, {date}): 프리미엄 {premium}",
    "{coin} ({exchange}, {date}): премия {premium}"
  ),
  listedPlain: text("{coin} ({exchange}, {date})", "{coin}({exchange}, {date})", "{coin} ({exchange}, {date})"),
  noListing: text(
    "No won market has opened on {exchange} within 14 days.",
    "최근 14일 동안 {exchange}에 새로 열린 원화 마켓이 없습니다.",
    "За последние 14 дней на {exchange} не открылось ни одного рынка в вонах."
  ),
  exchanges: text("Upbit or Bithumb", "업비트와 빗썸", "Upbit и Bithumb"),
  listChange: text(
    "Premiums of fresh listings decay within hours to days: late buyers pay for it.",
    "신규 상장 프리미엄은 몇 시간에서 며칠 사이에 꺼지므로 늦은 매수자가 부담합니다.",
    "Премия новых листингов тает за часы и дни: платят за нее опоздавшие."
  )
}

const asksMost = rule(
  "highest|biggest|largest|top|most|which coins?|all coins|lowest",
  "제일|가장|높은|큰|순위|상위|전체|어떤 코인|무슨 코인|낮은|역프",
  "самая|самый|самые|наибольш|топ|у каких|какие монет|выше всего|максимальн"
)

const alsoNow = rule(
  "(?:now|what(?:'s| is)) .*and|and .*now",
  "얼마고|얼마이고|얼마며|얼마야|그리고",
  "какая .* и |сейчас .* и "
)

const widest = (scan: Data, { format, lang, say }: Desk): Section => {
  const rows = scan.list("rows").map((row) => ({
    coin: row.str("coin"),
    exchange: wordOf(lang, row.str("exchange")),
    premium: format.change(row.num("premium_pct")),
    volume: format.bigKrw(row.num("volume_24h_krw")),
    thin: row.str("reliability") === "low"
  }))
  const [first] = rows
  return {
    verdict: first === undefined
      ? null
      : say(said.widest, { ...first, scanned: format.count(scan.num("scanned")) }),
    evidence: [
      ...rows.slice(1).map((row) => say(said.widestRow, row)),
      rows.some(({ thin }) => thin) ? say(said.thin, {}) : null
    ],
    change: say(said.change, {}),
    why: say(said.why, {})
  }
}

const asksLevel = rule("high|low|expensive|extreme|much", "높|낮|비싼|심한", "высок|низк|много|большая")
const hourMs = 3_600_000
const historyHours = 48

/** Returns the premium at an earlier time, or null for a question about the present. */
const earlierOf = ({ horizon, thread, words }: Reading, data: Data, { format, say }: Desk): string | null => {
  const isPast = /ago|yesterday|전|어제|назад|вчера/u.test(words)
  const history = data.list("history")
  const asOf = Date.parse(data.str("as_of") ?? "")
  if (!isPast || horizon === null || thread === "" || Number.isNaN(asOf)) return null
  const wanted = asOf - horizon.minutes * 60_000
  const row = history.find((one) => Math.abs(Date.parse(one.str("time") ?? "") - wanted) <= hourMs)
  return horizon.minutes > historyHours * 60
    ? say(said.tooFar, {})
    : say(said.before, {
      time: format.time(row?.str("time") ?? null),
      premium: format.change(row?.num("premium_pct") ?? null)
    })
}

export const kimchi: Intent = {
  name: "kimchi",
  reads: [
    rule(
      "expensive|cheap\\w*|korea\\w*|upbit|bithumb|won|krw|arb\\w*|diff\\w*|gap|high|low",
      "업비트|빗썸|차이|바이낸스|국내|한국|원화",
      "дороже|коре|апбит|бинанс|разниц|премия"
    ),
    asksPremium,
    asksPrice,
    asksMost
  ],
  spans: true,
  asked: (reading) => asksPremium.test(reading.words) || asksLocalPrice(reading),
  over: ["price", "trend", "usdkrw", "orderBook"],
  lists: (_, found) => {
    const scan = found.of("get_kimchi_premium", { scan_all: true, top: 5 })
    return scan.list("rows").flatMap((row) => row.str("coin") ?? [])
  },
  plan: (reading) =>
    asksMost.test(reading.words) && !reading.named
      ? [
        ...(alsoNow.test(reading.words) ? [ask("get_kimchi_premium", { coin: "BTC" })] : []),
        ask("get_kimchi_premium", { scan_all: true, top: 5 })
      ]
      : reading.coins.length === 0
      ? [ask("get_kimchi_premium", { coin: "BTC" }), ask("get_kimchi_premium", { top: 5 })]
      : [ask("get_kimchi_premium", { coin: coinOf(reading) })],
  write: (reading, found, desk) => {
    const { format, lang, say } = desk
    // Bitcoin's premium represents the whole market.
    const name = reading.coins[0] ?? "BTC"
    const data = found.of("get_kimchi_premium", { coin: name })
    const row = data.list("rows").find((row) => row.str("coin") === name)
    const first = data.list("history")[0]
    const all = found.of("get_kimchi_premium", { top: 5 }).list("rows")
    const num = (path: string) => row?.num(path) ?? null
    const scan = found.of("get_kimchi_premium", { scan_all: true, top: 5 })
    const isLocal = asksLocalPrice(reading) && !asksPremium.test(reading.words)
    const told = say(isLocal ? said.local : said.verdict, {
      name,
      premium: format.change(num("premium_pct")),
      exchange: wordOf(lang, row?.str("exchange") ?? null),
      krw: format.krw(num("krw_price")),
      usd: format.usd(num("usd_price"))
    })
    if (scan.raw !== null) {
      const all = widest(scan, desk)
      return told === null ? all : { ...all, verdict: told, evidence: [all.verdict, ...all.evidence] }
    }
    const percentile = num("premium_percentile")
    const level = percentile === null || !asksLevel.test(reading.words)
      ? null
      : say(said.level, { level: wordOf(lang, percentile < 30 ? "low" : percentile > 70 ? "high" : "normal") })
    return {
      verdict: earlierOf(reading, data, desk) ?? (told === null ? null : [told, level].join(" ").trim()),
      evidence: [
        earlierOf(reading, data, desk) === null ? null : told,
        say(said.legs, {
          currency: format.change(num("currency_leg_pct")),
          asset: format.change(num("asset_leg_pct"))
        }),
        say(said.rank, {
          percentile: format.fixed(num("premium_percentile"), 0),
          n: format.count(num("percentile_n")),
          fx: format.number(num("fx"))
        }),
        say(said.earlier, {
          time: format.time(first?.str("time") ?? null),
          earlier: format.change(first?.num("premium_pct") ?? null)
        }),
        say(said.volume, { volume: format.bigKrw(num("volume_24h_krw")) }),
        say(said.rows, {
          rows: format.list(
            all.slice(0, 5).flatMap((other) =>
              say(said.row, { coin: other.str("coin"), premium: format.change(other.num("premium_pct")) }) ?? []
            )
          )
        })
      ],
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next: [
    text(
      "Which coins were newly listed in Korea?",
      "최근 국내에 신규 상장된 코인은 무엇인가요?",
      "Какие новые листинги в Корее?"
    ),
    questions.krMarket,
    questions.funding
  ]
}

const exchanges = [
  ["upbit", rule("upbit", "업비트", "апбит|upbit")],
  ["bithumb", rule("bithumb", "빗썸", "битхамб|битхумб|bithumb")]
] as const

const listingsOf = ({ words }: Reading): { readonly exchange?: "upbit" | "bithumb" } => {
  const [named, ...others] = exchanges.flatMap(([exchange, pattern]) => pattern.test(words) ? [exchange] : [])
  return named === undefined || others.length > 0 ? {} : { exchange: named }
}

export const krListings: Intent = {
  name: "krListings",
  reads: [
    rule("korean?|exchanges?|coins?|list\\w*|new\\w*", "국내|거래소|신규|상장", "корейск|бирж|нов"),
    asksListings,
    ...exchanges.map(([, words]) => words)
  ],
  asked: ({ words }) => asksListings.test(words),
  over: ["price", "trend", "krMarket", "krStock"],
  plan: (reading) => [ask("get_kr_listings", listingsOf(reading))],
  write: (reading, found, { format, lang, say }) => {
    const wanted = listingsOf(reading)
    const data = found.of("get_kr_listings")
    const listings = data.list("listings").filter((listing) =>
      wanted.exchange === undefined || listing.str("exchange") === wanted.exchange
    )
    const [first] = listings
    const exchange = wanted.exchange === undefined ? said.exchanges[lang] : wordOf(lang, wanted.exchange)
    return {
      verdict: data.raw !== null && first === undefined ? say(said.noListing, { exchange }) : say(said.listVerdict, {
        coin: first?.str("coin") ?? null,
        exchange: wordOf(lang, first?.str("exchange") ?? null),
        hours: format.fixed(first?.num("hours_since") ?? null, 0)
      }),
      evidence: listings.slice(0, 5).map((listing) => {
        const values = {
          coin: listing.str("coin"),
          exchange: wordOf(lang, listing.str("exchange")),
          date: format.date(listing.str("listed_at"))
        }
        return say(said.listed, { ...values, premium: format.change(listing.num("premium_now_pct")) }) ??
          say(said.listedPlain, values)
      }),
      change: say(said.listChange, {})
    }
  },
  next: [
    questions.kimchi,
    questions.movers,
    questions.trending
  ]
}
