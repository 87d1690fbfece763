import type { Data, Findings } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asksNews = rule(
  "news|headlines?|articles?|press|announcements?",
  "뉴스|기사|헤드라인|소식|보도|호재|악재",
  "новост|заголов|статьи|статью|пресс|что пишут сми|сми(?![а-я])"
)
/** Matches questions about the words of a person or an institution. */
const asksWords = rule(
  "(?<!(?:you|u|i|chart|indicators?) )(?:say|says|said|saying|speech|speak(?:ing)?|spoke|announced?|statement)",
  "발언|연설|발표했|뭐라(?:고)? (?:했|해)",
  "сказал|заявил|заявлени|выступ|говорил"
)
const topics = rule(
  "about|regarding|hacks?|exploits?|regulations?|etfs?|lawsuits?|bans?|sec|tariffs?|listings?|approvals?|upgrades?|partnerships?",
  "관련|대한|해킹|규제|etf|소송|금지|승인|관세|업그레이드",
  "о |об |про |взлом|регулирован|etf|иск[иа]?(?![а-я])|запрет|одобрен|пошлин|обновлен"
)
export const asksWhy = rule(
  "why|(?:whats?|what's) (?:moving|driving|pushing|pumping|dumping|happening(?: to| with)?|going on(?: with)?)|y(?= (?:is|are|did|does|the))|what (?:caused|drove|happened)|what's (?:behind|with)|did (?:anything|something)|anything (?:big|bad|new) happen|wtf|reasons?",
  "왜|이유|원인|무슨 일|뭔 일",
  "почему|чего|с чего|зачем|из-за чего|причин|что (?:случилось|произошло|было|стряслось)"
)
const moves = rule(
  "up|down|fall(?:ing|s)?|fell|drop(?:ped|ping|s)?|ris(?:e|es|ing)|rose|pump(?:ed|ing)?|dump(?:ed|ing)?|moved?|moving|crash(?:ed|ing)?|rall(?:y|ied|ying)|happen(?:ed|ing|s)?|surg(?:e|ed|ing)|red|green|bleed(?:ing|s)?|tank(?:ed|ing)?|nuk(?:ed|ing)|moon(?:ed|ing)|rip(?:ped|ping)",
  "올랐|오르|내렸|내리|떨어|급등|급락|상승|하락|움직|무슨 일|폭락|폭등|빠지|빠졌|쏘|쐈|떡락|떡상|이럼|이래|이러|난리|지랄|뚝|불장|패닉",
  "раст|вырос|падает|упал|паден|рост|обвал|взлет|двиг|случилось|произошло|было|стряслось|подорожал|подешевел|слил|рухнул|льет|льёт|памп|дамп|валит|валят|сыпл|просе|просад|красн|летит|взлет"
)

const said = {
  tone: text(
    "News on {name}: tone {sentiment} on a scale from -1 to 1 over {hours} hours ({n} articles, {positive} positive, {negative} negative).",
    "{name} 뉴스 논조는 최근 {hours}시간 {sentiment}(-1~1)입니다. 기사 {n}건, 긍정 {positive}, 부정 {negative}.",
    "Новости по {name}: тональность {sentiment} по шкале от -1 до 1 за {hours} ч (статей {n}, позитивных {positive}, негативных {negative})."
  ),
  few: text(
    "No rated article on {name} within {hours} hours (n = {n}).",
    "{name} 관련 평가된 기사가 최근 {hours}시간 없습니다(n = {n}).",
    "Оцененных статей по {name} за {hours} ч нет (n = {n})."
  ),
  plain: text("Newest articles on {name}:", "{name} 최신 기사입니다.", "Свежие статьи по {name}:"),
  found: text(
    "Found by meaning: {n} articles, best first.",
    "의미 검색 결과 {n}건, 관련도 순입니다.",
    "Найдено по смыслу: статей {n}, сначала лучшие."
  ),
  none: text("No article fits.", "맞는 기사가 없습니다.", "Подходящих статей нет."),
  article: text("“{title}” ({source}, {time})", "“{title}”({source}, {time})", "«{title}» ({source}, {time})"),
  market: text("the market", "시장", "рынку"),
  change: text(
    "Headlines are quoted, not checked: a source of its own, or a price that does not react, should lower your trust.",
    "제목은 인용이며 검증된 것이 아닙니다. 출처가 하나뿐이거나 가격이 반응하지 않으면 신뢰를 낮추세요.",
    "Заголовки приведены, а не проверены: единственный источник или цена без реакции снижают доверие."
  ),
  why: text(
    "News matters by what price does after it: good news without a rise is a sign of exhaustion.",
    "뉴스의 무게는 그 뒤 가격이 정합니다. 호재에도 오르지 않으면 힘이 빠졌다는 신호입니다.",
    "Вес новости определяет реакция цены: хорошая новость без роста это признак усталости."
  ),
  cause: text(
    "{name} is {change} over 24 hours at {price}. No single cause can be proven from data; this is what went with it:",
    "{name} 24시간 변동률은 {change}, 현재가 {price}입니다. 데이터만으로 하나의 원인을 단정할 수는 없고, 함께 나타난 것은 다음과 같습니다.",
    "{name} за 24 часа {change}, цена {price}. Одну причину по данным не доказать; вот что сопутствовало движению:"
  ),
  unliquidated: text(
    "No large liquidation within 24 hours.",
    "24시간 동안 대형 청산은 없습니다.",
    "Крупных ликвидаций за 24 часа не было."
  ),
  noFresh: text(
    "No article on it within {hours} hours.",
    "최근 {hours}시간 관련 기사는 없습니다.",
    "Статей за последние {hours} ч нет."
  ),
  still: text(
    "{name} has hardly moved: {change} over 24 hours, at {price}. This is what went with it:",
    "{name} 가격은 거의 움직이지 않았습니다. 24시간 {change}, 현재가 {price}이며 함께 나타난 것은 다음과 같습니다.",
    "{name} почти не двигался: за 24 часа {change}, цена {price}. Вот что было рядом:"
  ),
  causeMarket: text(
    "Over 24 hours {up} coins are up and {down} down ({majors}). No single cause can be proven from data; this is what went with it:",
    "24시간 동안 상승 {up}개, 하락 {down}개입니다({majors}). 데이터만으로 하나의 원인을 단정할 수는 없고, 함께 나타난 것은 다음과 같습니다.",
    "За 24 часа монет в плюсе {up}, в минусе {down} ({majors}). Одну причину по данным не доказать; вот что сопутствовало:"
  ),
  notFallen: text(
    "{name} did not fall over the last 24 hours: {change}.",
    "{name} 가격은 최근 24시간 동안 떨어지지 않았습니다: {change}.",
    "{name} за последние 24 часа не упал: {change}."
  ),
  notRisen: text(
    "{name} did not rise over the last 24 hours: {change}.",
    "{name} 가격은 최근 24시간 동안 오르지 않았습니다: {change}.",
    "{name} за последние 24 часа не вырос: {change}."
  ),
  moved: text("{name} {change}", "{name} {change}", "{name} {change}"),
  indices: text("US stocks: {indices}.", "미국 증시: {indices}.", "Акции США: {indices}."),
  leverage: text(
    "Open interest {oi} in coins, funding {rate}.",
    "미결제약정 {oi}(코인 기준), 펀딩비 {rate}.",
    "Открытый интерес {oi} в монетах, фандинг {rate}."
  ),
  liquidated: text(
    "Large liquidations of 24 hours: longs {long}, shorts {short}.",
    "24시간 대형 청산: 롱 {long}, 숏 {short}.",
    "Крупные ликвидации за 24 часа: лонги {long}, шорты {short}."
  ),
  causeChange: text(
    "If open interest fell with the price, it was leverage leaving; if it rose, somebody opened against or with the move, and it can go on.",
    "가격과 함께 미결제약정이 줄었다면 레버리지 청산이고, 늘었다면 새 포지션이 들어온 것이라 이어질 수 있습니다.",
    "Если открытый интерес упал вместе с ценой, уходило плечо; если вырос, открывались новые позиции и движение может продолжиться."
  )
}

const subjectOf = ({ coins, stocks }: Reading): Readonly<Record<string, string>> =>
  stocks[0] !== undefined ? { symbol: stocks[0].symbol } : coins[0] !== undefined ? { coin: coins[0] } : {}

const nameOf = ({ coins, stocks }: Reading): string | null => stocks[0]?.name ?? coins[0] ?? null
const shown = 4
/** A coin whose price changed by less than this percentage in 24 hours counts as unmoved. */
const flat = 0.5

const [usualHours, mostHours] = [72, 720]

const hoursOf = ({ horizon }: Reading): Readonly<Record<string, number>> =>
  horizon === null ? {} : { hours: Math.min(mostHours, Math.max(1, Math.round(horizon.minutes / 60))) }

export const news: Intent = {
  name: "news",
  reads: [
    asksNews,
    asksWords,
    topics,
    rule("latest|today|sentiment|bullish|bearish|good|bad|important", "최신|심리|주요", "последн|свеж|настроен|важн")
  ],
  spans: true,
  asked: ({ coins, stocks, words }) =>
    asksNews.test(words) || (asksWords.test(words) && coins.length + stocks.length === 0),
  over: ["price", "trend", "usStock", "krStock", "krListings", "usMarket", "krMarket", "overview"],
  plan: (reading) => {
    const subject = subjectOf(reading)
    const { coins, question, words } = reading
    if (asksWords.test(words) && !asksNews.test(words)) {
      return [ask("search_news", { query: question.slice(0, 300), top: shown })]
    }
    return [
      ask("get_latest_news", { ...subject, top: shown }),
      ask("get_news_sentiment", { ...subject, ...hoursOf(reading) }),
      ...(topics.test(words)
        ? [
          ask("search_news", {
            query: question.slice(0, 300),
            ...(coins[0] === undefined ? {} : { coin: coins[0] }),
            top: shown
          })
        ]
        : [])
    ]
  },
  write: (reading, found, { format, say }) => {
    const name = nameOf(reading) ?? say(said.market, {})
    const tone = found.of("get_news_sentiment")
    const searched = found.of("search_news")
    const latest = found.of("get_latest_news").list("articles")
    const hits = searched.list("articles")
    const articles = searched.raw === null ? latest : hits
    const hours = found.came("get_news_sentiment")?.arguments?.["hours"]
    const span = tone.raw === null ? null : format.count(typeof hours === "number" ? hours : usualHours)
    return {
      verdict: say(said.tone, {
        name,
        sentiment: format.fixed(tone.num("sentiment"), 2),
        hours: span,
        n: format.count(tone.num("n")),
        positive: format.count(tone.num("positive")),
        negative: format.count(tone.num("negative"))
      }) ?? say(said.few, { name, hours: span, n: format.count(tone.num("n")) }) ??
        (tone.raw === null && searched.raw !== null
          ? say(hits.length > 0 ? said.found : said.none, { n: format.count(hits.length) })
          : latest.length > 0 || hits.length > 0
          ? say(said.plain, { name })
          : null),
      evidence: [
        hits.length > 0 && tone.raw !== null ? say(said.found, { n: format.count(hits.length) }) : null,
        ...articles.slice(0, shown).map((article) =>
          say(said.article, {
            title: article.str("title"),
            source: article.str("source"),
            time: format.time(article.str("time"))
          })
        ),
        articles.length === 0 && (searched.raw !== null || found.of("get_latest_news").raw !== null)
          ? say(said.none, {})
          : null
      ],
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next: [
    questions.social,
    text("Why did {name} move today?", "오늘 {name} 왜 움직였나요?", "Почему {name} сегодня двигается?"),
    questions.calendar
  ]
}

/** The maximum age of articles, in hours, that may explain today's move. */
const freshHours = 72

const headlines = (
  articles: ReadonlyArray<Data>,
  now: string | null,
  { format, say }: Desk
): ReadonlyArray<string | null> => {
  const since = now === null ? -Infinity : Date.parse(now) - freshHours * 3_600_000
  const fresh = articles.filter((article) => Date.parse(article.str("time") ?? "") >= since)
  return fresh.length === 0
    ? [say(said.noFresh, { hours: format.count(freshHours) })]
    : fresh.slice(0, 2).map((article) =>
      say(said.article, {
        title: article.str("title"),
        source: article.str("source"),
        time: format.time(article.str("time"))
      })
    )
}

const causeOf = (name: string, found: Findings, desk: Desk) => {
  const { format, say } = desk
  const price = found.of("get_price", { coin: name })
  const derivatives = found.of("get_derivatives", { coin: name })
  const liquidations = found.of("get_liquidations_history", { coin: name })
  const change = price.num("change_24h_pct")
  return {
    verdict: say(change !== null && Math.abs(change) < flat ? said.still : said.cause, {
      name,
      change: format.change(change),
      price: format.usd(price.num("price"))
    }),
    evidence: [
      say(said.leverage, {
        oi: format.change(derivatives.num("oi_change_24h_coin_pct")),
        rate: format.rate(derivatives.num("funding_rate_pct"))
      }),
      liquidations.num("totals.count") === 0 ? say(said.unliquidated, {}) : say(said.liquidated, {
        long: format.bigUsd(liquidations.num("totals.long_usd")),
        short: format.bigUsd(liquidations.num("totals.short_usd"))
      }),
      ...headlines(found.of("get_latest_news", { coin: name }).list("articles"), price.str("as_of"), desk)
    ]
  }
}

const causeOfMarket = (found: Findings, desk: Desk) => {
  const { format, say } = desk
  const market = found.of("get_market_overview")
  const us = found.of("get_us_market")
  const rows = (list: ReadonlyArray<Data>, change: string, name: string) =>
    format.list(
      list.slice(0, 3).flatMap((row) =>
        say(said.moved, { name: row.str(name), change: format.change(row.num(change)) }) ?? []
      )
    )
  return {
    verdict: say(said.causeMarket, {
      up: format.count(market.num("breadth.advancing")),
      down: format.count(market.num("breadth.declining")),
      majors: rows(market.list("coins"), "change_24h_pct", "coin")
    }),
    evidence: [
      say(said.indices, { indices: rows(us.list("indices"), "change_pct", "name") }),
      ...headlines(found.of("get_latest_news").list("articles"), market.str("as_of"), desk)
    ]
  }
}

const asksFall = rule(
  "fall(?:ing|s)?|fell|drop(?:ped|ping|s)?|dump(?:ed|ing)?|crash(?:ed|ing)?|down|tank(?:ed|ing)?",
  "떨어|급락|하락|내렸|내려|빠졌|빠지|폭락",
  "падает|упал|обвал|рухнул|просе|подешевел|слил"
)
const asksRise = rule(
  "ris(?:e|es|ing)|rose|pump(?:ed|ing)?|up|surg(?:e|ed|ing)|rall(?:y|ied|ying)",
  "올랐|오르|급등|상승|폭등",
  "раст[её]т|вырос|взлет|подорожал"
)

/** Returns a correction if the price moved in the opposite direction to the question, or null if it did not. */
const denied = (words: string, name: string, found: Findings, { format, say }: Desk): string | null => {
  const change = found.of("get_price", { coin: name }).num("change_24h_pct")
  if (change === null || Math.abs(change) < flat) return null
  const values = { name, change: format.change(change) }
  if (change > 0 && asksFall.test(words) && !asksRise.test(words)) return say(said.notFallen, values)
  return change < 0 && asksRise.test(words) && !asksFall.test(words) ? say(said.notRisen, values) : null
}

export const cause: Intent = {
  name: "cause",
  // The answer describes the last 24 hours.
  reads: [asksWhy, moves, asksNews, rule("price|today|market|reason|hard|much", "가격|시장|이유", "цен|рынок|рынк")],
  spans: ({ horizon, moment }) =>
    horizon?.minutes === 1_440 && (moment === null || (moment.back === 0 && moment.minute === null)),
  asked: ({ coins, stocks, words }) =>
    asksWhy.test(words) && moves.test(words) && (coins.length > 0 || stocks.length === 0),
  over: ["price", "trend", "news", "liquidations", "overview", "movers"],
  plan: ({ coins }) => {
    const [coin] = coins
    return coin === undefined
      ? [ask("get_market_overview"), ask("get_us_market"), ask("get_latest_news", { top: shown })]
      : [
        ask("get_price", { coin }),
        ask("get_derivatives", { coin }),
        ask("get_liquidations_history", { coin, hours: 24 }),
        ask("get_latest_news", { coin, top: shown })
      ]
  },
  write: ({ coins, words }, found, desk) => {
    const section = coins[0] === undefined ? causeOfMarket(found, desk) : causeOf(coins[0], found, desk)
    const premise = coins[0] === undefined ? null : denied(words, coins[0], found, desk)
    const verdict = [premise, section.verdict].filter((line) => line !== null).join(" ")
    return { ...section, verdict: verdict === "" ? null : verdict, change: desk.say(said.causeChange, {}) }
  },
  next: [
    questions.levels,
    questions.liquidations,
    questions.outlook
  ]
}
