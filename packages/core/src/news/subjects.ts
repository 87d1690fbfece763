/**
 * Subjects that one word of a question names and no other word of an article stands for: institutions, goods, kinds of
 * news. An article about the Bank of Korea is near to a question about the Fed, and does not answer it.
 */
import { folded } from "./words.ts"

/** Beginnings of words in English and Russian, parts of words in Korean. */
const table: ReadonlyArray<readonly [en: string, ko: string, ru: string]> = [
  ["fed(?![a-z])|fomc|federal reserve|powell", "연준|연방준비", "фрс|пауэлл"],
  ["bank of korea", "한국은행|한은", "банк[а-я]* коре"],
  ["bank of russia", "러시아 중앙은행", "банк[а-я]* росси|цб(?![а-я])"],
  ["ecb(?![a-z])|european central bank", "유럽중앙은행", "ецб"],
  ["bank of japan|boj(?![a-z])", "일본은행", "банк[а-я]* япон"],
  ["gold(?:en)?(?![a-z])|bullion", "금값|골드", "золот"],
  ["oil(?![a-z])|crude|brent", "유가|원유", "нефт|баррел"],
  ["etfs?(?![a-z])|exchange-traded|funds?(?![a-z])", "etf|상장지수|펀드", "etf|фонд"],
  ["miner|mining|hash ?rate", "채굴|해시레이트", "майн|хешрейт"],
  ["stablecoin", "스테이블코인", "стейблкоин|стаблкоин"],
  ["meme", "밈", "мем"],
  ["nft", "nft", "nft"],
  ["stak(?:e|ing)(?![a-z])", "스테이킹", "стейк"],
  ["airdrop", "에어드롭", "эйрдроп|аирдроп"],
  ["tax", "세금|과세", "налог"],
  ["hack|exploit|stole|drain|breach|attack", "해킹|해커|탈취", "взлом|хакер|украд|украл"],
  ["inflation|cpi(?![a-z])|consumer price", "물가|인플레", "инфляц"],
  ["bridge", "브릿지|브리지", "мост"],
  ["premium", "프리미엄|김프", "преми"],
  ["bankrupt|insolven", "파산", "банкрот"],
  ["burn(?:s|ed|ing)?(?![a-z])", "소각", "сжига|сжег|сожж|сожг"],
  ["foreign", "외국인", "иностран"],
  ["outages?(?![a-z])|halt|downtime|network down", "중단|장애|멈춤|멈췄", "сбо[йяеи]|останов"],
  [
    "exchanges?(?! rate|-traded)(?![a-z])|upbit|bithumb|binance|coinbase|kraken|bybit|okx",
    "거래소|업비트|빗썸|바이낸스",
    "(?:крипто)?бирж|апбит|бинанс"
  ],
  ["unlock", "락업|언락", "разблокир"],
  ["partner", "파트너|제휴|협력", "партн"],
  ["buyback|repurchas", "자사주|바이백", "выкуп"],
  [
    "regulat|rules?(?![a-z])|law(?:s|makers?)?(?![a-z])|bill(?:s)?(?![a-z])|legislat|ban(?:s|ned|ning)?(?![a-z])",
    "규제|법안|법률|금지|금융위|당국",
    "регулир|регулят|закон|запре[тщ]|правил"
  ]
]

const patterns = table.map(([en, ko, ru]) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${en}|${ru})|${ko}`, "u"))

/** The subjects that a text names, as places in the table. */
export const subjectsOf = (text: string): ReadonlyArray<number> => {
  const read = folded(text)
  return patterns.flatMap((pattern, i) => pattern.test(read) ? [i] : [])
}
