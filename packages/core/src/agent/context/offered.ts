import { words } from "../../engine/text/wordPattern.ts"
import type { Area } from "../../engine/tool/area.ts"
import type { CatalogueCall } from "../../engine/tool/catalogue.ts"
import { estimateTokens } from "./tokens.ts"

/** By which words a question is known to be about an area, in each language. */
const topics: Readonly<Record<Area, RegExp>> = {
  crypto: words(
    "price|coins?|crypto|trend|rsi|macd|levels?|supports?|resistances?|volatil\\w*|correlat\\w*|dominance|market",
    "가격|시세|코인|추세|지지|저항|변동성|상관|시장|얼마",
    "цен|монет|крипт|тренд|уров|поддержк|сопротивл|волатил|коррел|доминац|рын"
  ),
  derivatives: words(
    "funding|open interest|oi|liquidat\\w*|longs?|shorts?|basis|futures|perps?|leverage",
    "펀딩|펀비|미결제|청산|롱|숏|선물|베이시스",
    "фандинг|интерес|ликвид|лонг|шорт|базис|фьючерс|перп|плеч"
  ),
  signals: words(
    "signals?|scores?|odds|probabilit\\w*|chances?|hit rate",
    "시그널|신호|점수|확률|적중",
    "сигнал|балл|скор|вероятн|шанс"
  ),
  options: words(
    "options?|iv|implied|skew|gamma|max pain|calls?|puts?|strikes?|expir\\w*",
    "옵션|내재|스큐|감마|맥스페인|만기|콜|풋",
    "опцион|подразум|скос|гамм|пейн|экспир|страйк|колл|пут"
  ),
  onchain: words(
    "on-?chain|whales?|dex|transfers?|tokens?|holders?|supply|pools?|stablecoins?",
    "온체인|고래|홀더|유통|스테이블|토큰",
    "ончейн|кит|перевод|держател|эмисс|стейбл|токен|пул"
  ),
  social: words(
    "social|twitter|telegram|mentions?|hype|trending|bots?",
    "소셜|언급|여론|화제|봇",
    "соцсет|твит|хайп|обсужд|упомин|бот"
  ),
  news: words(
    "news|headlines?|articles?|why|happened|sentiment",
    "뉴스|기사|소식|왜|이유",
    "новост|заголов|стать|почему|причин|случил"
  ),
  korea: words(
    "korea\\w*|kimchi|kospi|kosdaq|upbit|bithumb|won|samsung",
    "한국|국내|김프|김치|코스피|업비트|빗썸|환율|외국인|삼성",
    "коре|кимчи|коспи|вон[аеуы]|самсунг"
  ),
  us: words(
    "stocks?|shares?|nasdaq|s&p|earnings|analysts?|insiders?|us|american?",
    "미국|주식|나스닥|실적|애널리스트|내부자",
    "акци|насдак|сша|отчет|аналитик|инсайдер"
  ),
  macro: words(
    "cpi|fomc|fed|yields?|calendar|macro|inflation|rates?",
    "연준|금리|물가|경제|일정|국채",
    "фрс|ставк|инфляц|календар|доходн|макро"
  ),
  backtest: words("backtest\\w*|strateg\\w*|walk-?forward|monte carlo", "백테스트|전략", "бэктест|бектест|стратег"),
  code: words("code|compute|calculate|script", "계산|코드", "посчит|вычисл|код"),
  chart: words("charts?|draw|plot|picture", "차트|그려|그래프", "график|нарис|постро"),
  journal: words(
    "my|positions?|portfolio|journal|risk|trades?|watch ?list",
    "내|포지션|일지|리스크|매매|관심",
    "мо[йяеиюх]|позиц|портфел|журнал|риск|сделк"
  ),
  tasks: words(
    "alerts?|watch|tasks?|notif\\w*|remind|tell me when",
    "알림|알려|감시|작업",
    "оповещ|алерт|задач|сообщ|уведом|следи"
  )
}

/** What nearly every answer begins with. */
const basics: ReadonlySet<string> = new Set([
  "get_price",
  "get_market_overview",
  "get_indicators",
  "get_levels",
  "get_derivatives",
  "get_score",
  "get_latest_news",
  "search_news"
])

const reads = /^(?:get|search|screen|compare|run|make)_/u

/** Words of the whole crypto market are in most questions: they say less than those of another area. */
const weightOf = (area: Area): number => area === "crypto" ? 2 : 4

/** How much a tool has to do with what is asked, and was asked before. */
const relevance = ({ area, name }: CatalogueCall, question: string, before: string): number => {
  const asked = question.toLowerCase()
  const own = name.split("_").slice(1).filter((word) => word.length > 3 && asked.includes(word)).length
  const topic = (topics[area].test(question) ? weightOf(area) : 0) + (topics[area].test(before) ? 1 : 0)
  return topic + 3 * own + (basics.has(name) ? 2 : 0)
}

/** Who asks, and what for. */
export interface Offer {
  readonly tools: ReadonlyArray<CatalogueCall>
  readonly question: string
  /** What was asked before. */
  readonly before: string
  /** Tools of which the request speaks already: they were called, or proposed. */
  readonly spokenOf: ReadonlySet<string>
  /** The most that the tools may take. */
  readonly tokens: number
}

/**
 * The tools that a request shows: all, where they fit. Else those that write, which are there only when the question
 * asks for just that, and those that were spoken of; then by relevance, an earlier one of the catalogue first, as many
 * as fit. The same request is offered the same, in the catalogue's order.
 */
export const offered = ({ before, question, spokenOf, tokens, tools }: Offer): ReadonlyArray<CatalogueCall> => {
  if (estimateTokens(JSON.stringify(tools)) <= tokens) return tools
  const ranked = tools.map((tool) => ({
    tool,
    rank: spokenOf.has(tool.name) || !reads.test(tool.name) ? Infinity : relevance(tool, question, before),
    cost: estimateTokens(`${JSON.stringify(tool)},`)
  })).toSorted((a, b) => a.rank === b.rank ? 0 : b.rank - a.rank)
  let left = tokens
  const chosen = new Set<CatalogueCall>()
  for (const { cost, tool } of ranked) {
    if (cost > left) continue
    left -= cost
    chosen.add(tool)
  }
  return tools.filter((tool) => chosen.has(tool))
}
