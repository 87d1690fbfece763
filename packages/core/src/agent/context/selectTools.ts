import { wordPattern } from "../../engine/text/wordPattern.ts"
import type { Area } from "../../engine/tool/area.ts"
import type { CallableEntry } from "../../engine/tool/catalogue.ts"
import { estimateTokens } from "./tokens.ts"

/** Words that show that a question is about an area, in each language. */
const topics: Readonly<Record<Area, RegExp>> = {
  crypto: wordPattern(
    "price|coins?|crypto|trend|rsi|macd|levels?|supports?|resistances?|volatil\\w*|correlat\\w*|dominance|market",
    "가격|시세|코인|추세|지지|저항|변동성|상관|시장|얼마",
    "цен|монет|крипт|тренд|уров|поддержк|сопротивл|волатил|коррел|доминац|рын"
  ),
  derivatives: wordPattern(
    "funding|open interest|oi|liquidat\\w*|longs?|shorts?|basis|futures|perps?|leverage",
    "펀딩|펀비|미결제|청산|롱|숏|선물|베이시스",
    "фандинг|интерес|ликвид|лонг|шорт|базис|фьючерс|перп|плеч"
  ),
  signals: wordPattern(
    "signals?|scores?|odds|probabilit\\w*|chances?|hit rate",
    "시그널|신호|점수|확률|적중",
    "сигнал|балл|скор|вероятн|шанс"
  ),
  options: wordPattern(
    "options?|iv|implied|skew|gamma|max pain|calls?|puts?|strikes?|expir\\w*",
    "옵션|내재|스큐|감마|맥스페인|만기|콜|풋",
    "опцион|подразум|скос|гамм|пейн|экспир|страйк|колл|пут"
  ),
  onchain: wordPattern(
    "on-?chain|whales?|dex|transfers?|tokens?|holders?|supply|pools?|stablecoins?",
    "온체인|고래|홀더|유통|스테이블|토큰",
    "ончейн|кит|перевод|держател|эмисс|стейбл|токен|пул"
  ),
  social: wordPattern(
    "social|twitter|telegram|mentions?|hype|trending|bots?",
    "소셜|언급|여론|화제|봇",
    "соцсет|твит|хайп|обсужд|упомин|бот"
  ),
  news: wordPattern(
    "news|headlines?|articles?|why|happened|sentiment",
    "뉴스|기사|소식|왜|이유",
    "новост|заголов|стать|почему|причин|случил"
  ),
  korea: wordPattern(
    "korea\\w*|kimchi|kospi|kosdaq|upbit|bithumb|won|samsung",
    "한국|국내|김프|김치|코스피|업비트|빗썸|환율|외국인|삼성",
    "коре|кимчи|коспи|вон[аеуы]|самсунг"
  ),
  us: wordPattern(
    "stocks?|shares?|nasdaq|s&p|earnings|analysts?|insiders?|us|american?",
    "미국|주식|나스닥|실적|애널리스트|내부자",
    "акци|насдак|сша|отчет|аналитик|инсайдер"
  ),
  macro: wordPattern(
    "cpi|fomc|fed|yields?|calendar|macro|inflation|rates?",
    "연준|금리|물가|경제|일정|국채",
    "фрс|ставк|инфляц|календар|доходн|макро"
  ),
  backtest: wordPattern(
    "backtest\\w*|strateg\\w*|walk-?forward|monte carlo",
    "백테스트|전략",
    "бэктест|бектест|стратег"
  ),
  code: wordPattern("code|compute|calculate|script", "계산|코드", "посчит|вычисл|код"),
  chart: wordPattern("charts?|draw|plot|picture", "차트|그려|그래프", "график|нарис|постро"),
  journal: wordPattern(
    "my|positions?|portfolio|journal|risk|trades?|watch ?list",
    "내|포지션|일지|리스크|매매|관심",
    "мо[йяеиюх]|позиц|портфел|журнал|риск|сделк"
  ),
  tasks: wordPattern(
    "alerts?|watch|tasks?|notif\\w*|remind|tell me when",
    "알림|알려|감시|작업",
    "оповещ|алерт|задач|сообщ|уведом|следи"
  )
}

const commonTools: ReadonlySet<string> = new Set([
  "get_price",
  "get_market_overview",
  "get_indicators",
  "get_levels",
  "get_derivatives",
  "get_score",
  "get_latest_news",
  "search_news"
])

const readToolPattern = /^(?:get|search|screen|compare|run|make)_/u

/**
 * Returns the number of points that a tool gets if the question contains a word of the tool's area. The area `crypto`
 * gets fewer points, because most questions mention coins.
 */
const topicWeight = (area: Area): number => area === "crypto" ? 2 : 4

const rateRelevance = ({ area, name }: CallableEntry, question: string, earlierQuestions: string): number => {
  const lowercaseQuestion = question.toLowerCase()
  const nameMatches =
    name.split("_").slice(1).filter((word) => word.length > 3 && lowercaseQuestion.includes(word)).length
  const topic = (topics[area].test(question) ? topicWeight(area) : 0) + (topics[area].test(earlierQuestions) ? 1 : 0)
  return topic + 3 * nameMatches + (commonTools.has(name) ? 2 : 0)
}

export interface ToolSelection {
  readonly tools: ReadonlyArray<CallableEntry>
  readonly question: string
  readonly earlierQuestions: string
  /** The names of tools that the answer has already called. */
  readonly mentionedTools: ReadonlySet<string>
  readonly maxTokens: number
}

/**
 * Selects the tools that a request offers, in the catalogue's order. If the tools exceed `maxTokens`, mentioned tools
 * and tools that write have priority, followed by the most relevant tools.
 */
export const selectTools = (
  { earlierQuestions, question, mentionedTools, maxTokens, tools }: ToolSelection
): ReadonlyArray<CallableEntry> => {
  if (estimateTokens(JSON.stringify(tools)) <= maxTokens) return tools
  const ranked = tools.map((tool) => ({
    tool,
    rank: mentionedTools.has(tool.name) || !readToolPattern.test(tool.name)
      ? Infinity
      : rateRelevance(tool, question, earlierQuestions),
    cost: estimateTokens(`${JSON.stringify(tool)},`)
  })).toSorted((a, b) => a.rank === b.rank ? 0 : b.rank - a.rank)
  let remainingTokens = maxTokens
  const chosen = new Set<CallableEntry>()
  for (const { cost, tool } of ranked) {
    if (cost > remainingTokens) continue
    remainingTokens -= cost
    chosen.add(tool)
  }
  return tools.filter((tool) => chosen.has(tool))
}
