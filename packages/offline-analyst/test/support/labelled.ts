import { questions } from "./corpus.ts"

/** Articles that answer a question of the corpus too, besides those of which one should come first. */
const also: Readonly<Record<string, ReadonlyArray<string>>> = {
  "stablecoin regulation in Europe": ["ko-rule"],
  "liquidations of leveraged longs": ["ko-drop", "ru-drop"],
  "hash rate and miners after the halving": ["ko-mining"],
  "Solana network down": ["ru-sol"],
  "AI chip earnings": ["ko-samsung"],
  "거래소 해킹 피해": ["ru-hack"],
  "코인 세금 언제부터": ["tax"],
  "스테이블코인 규제": ["mica"],
  "비트코인 채굴 전기요금": ["mining", "ru-mining"],
  "взлом криптобиржи": ["ko-hack"],
  "закон о криптовалюте": ["ko-rule"],
  "падение биткоина": ["liq"],
  "сбой Солана": ["outage"],
  "золото рекорд": ["gold"]
}

/** Questions about the opposite of what articles say, about another subject, or about nothing in the corpus. */
const others: ReadonlyArray<readonly [query: string, ...relevant: ReadonlyArray<string>]> = [
  ["bitcoin ETF outflows"],
  ["ether ETF inflows", "ru-etf"],
  ["ether ETF outflows", "etf-out"],
  ["비트코인 ETF 유출"],
  ["отток из биткоин ETF"],
  ["oil price rises", "ru-ruble"],
  ["bitcoin rally"],
  ["рост биткоина"],
  ["비트코인 급등"],
  ["Dogecoin falls"],
  ["도지코인 급락"],
  ["xrp falls"],
  ["리플 급락"],
  ["gold falls"],
  ["ruble weakens"],
  ["Bank of Korea raises rates"],
  ["한은 금리 인상"],
  ["업비트 신규 상장"],
  ["외국인 순매수"],
  ["Solana price", "outage", "ru-sol", "ko-upgrade"],
  ["Cardano upgrade"],
  ["Litecoin halving"],
  ["Tron hack"],
  ["Cardano governance vote"],
  ["quantum computers break encryption"],
  ["football transfer"],
  ["real estate loans"],
  ["извержение вулкана"],
  ["coffee harvest in Brazil"],
  ["NFT marketplace closes"],
  ["축구 이적"],
  ["цены на кофе"],
  ["stablecoin burn"],
  ["스테이블코인 소각"],
  ["сжигание стейблкоинов"],
  ["bitcoin rises"],
  ["비트코인 상승"],
  ["биткоин растет"],
  ["bitcoin falls", "liq", "ru-drop"],
  ["비트코인 하락", "liq", "ru-drop"],
  ["биткоин падает", "liq", "ru-drop"],
  ["ether falls", "ko-drop"],
  ["эфир упал", "ko-drop"],
  ["이더리움 상승"],
  ["Solana rallies"],
  ["Toncoin drops"],
  ["Toncoin rises", "ru-ton"],
  ["dogecoin rises", "doge"],
  ["XRP rises", "ko-xrp"],
  ["비트코인 규제", "ru-mining"],
  ["bitcoin regulation", "ru-mining"],
  ["регулирование биткоина", "ru-mining"],
  ["ether regulation"],
  ["bitcoin partnership"]
]

/** Questions with every article of the corpus that answers them. */
export const labelled: ReadonlyArray<readonly [query: string, ...relevant: ReadonlyArray<string>]> = [
  ...questions.map(([query, ...expected]) => [query, ...expected, ...(also[query] ?? [])] as const),
  ...others
]

/** Questions, and an article with nearly the same words that says the opposite. */
export const opposites: ReadonlyArray<readonly [query: string, opposite: string]> = [
  ["bitcoin rises", "liq"],
  ["bitcoin rises", "ru-drop"],
  ["bitcoin falls", "etf-in"],
  ["비트코인 상승", "liq"],
  ["Toncoin drops", "ru-ton"],
  ["bitcoin ETF outflows", "etf-in"],
  ["ether ETF inflows", "etf-out"],
  ["비트코인 ETF 유출", "etf-in"],
  ["отток из биткоин ETF", "etf-in"],
  ["oil price rises", "oil"],
  ["bitcoin rally", "ru-drop"],
  ["рост биткоина", "ru-drop"],
  ["Dogecoin falls", "doge"],
  ["도지코인 급락", "doge"],
  ["리플 급락", "ko-xrp"],
  ["gold falls", "gold"],
  ["падение золота", "ru-gold"],
  ["Bank of Korea raises rates", "ko-rate"],
  ["한은 금리 인상", "ko-rate"],
  ["업비트 신규 상장", "ko-delist"],
  ["외국인 순매수", "ko-foreign"]
]
