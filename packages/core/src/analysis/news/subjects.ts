/**
 * Detects the subjects of a question, such as institutions, commodities and kinds of news. An article about the Bank of
 * Korea is similar to a question about the Fed, but does not answer the question.
 */
import type { Article } from "../../market/news.ts"
import { foldText } from "./words.ts"

/**
 * Regular expression sources for the names of one subject. English and Russian patterns match beginnings of words;
 * Korean patterns match any part of a word.
 */
type NamePatterns = readonly [en: string, ko: string, ru: string]

const topics: ReadonlyArray<NamePatterns> = [
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
    "regulat|rules?(?![a-z])|law(?:s|makers?)?(?![a-z])|bills? (?:on|to|that|would|for)(?![a-z])|legislat|ban(?:s|ned|ning)?(?![a-z])",
    "규제|법안|법률|금지|금융위|당국",
    "регулир|регулят|закон|запре[тщ]|правил"
  ]
]

/** The countries, each with its central bank, its capital and its main index. */
const countries: ReadonlyArray<readonly [country: NamePatterns, ofCountry: NamePatterns]> = [
  [
    ["japan", "일본", "япон"],
    ["boj(?![a-z])|tokyo|nikkei(?! asia| report)|topix", "도쿄|닛케이|토픽스", "токи[ойе]|никкей"]
  ],
  [
    ["china|chinese", "중국", "кита[йяюе]"],
    [
      "pboc(?![a-z])|beijing|shanghai composite|csi ?300",
      "인민은행|베이징|(?:상하이|상해) ?종합",
      "нбк(?![а-я])|пекин|шанхайск[а-я]* индекс"
    ]
  ],
  [
    ["euro(?:-| )?(?:zone|area)", "유로존|유로 ?지역", "еврозон"],
    ["ecb(?![a-z])|european central bank|euro ?stoxx", "유럽 ?중앙은행|유로 ?스톡스", "ецб|европейск[а-я]* центробанк"]
  ],
  [
    ["uk(?![a-z])|u\\.k\\.|britain|british", "영국", "британ|великобритан"],
    [
      "bank of england|boe(?![a-z])|london|ftse(?! russell)",
      "영란은행|잉글랜드은행|런던",
      "банк[а-я]* англи|лондон"
    ]
  ]
]

const compilePattern = ([en, ko, ru]: NamePatterns): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${en}|${ru})|${ko}`, "gu")
const queryPatterns = [...topics, ...countries.map(([country]) => country)].map(compilePattern)
/** The patterns that match subjects in articles, in the order of `queryPatterns`. */
const articlePatterns = [
  ...queryPatterns.slice(0, topics.length),
  ...countries.map(([[en, ko, ru], [en2, ko2, ru2]]) =>
    compilePattern([`${en}|${en2}`, `${ko}|${ko2}`, `${ru}|${ru2}`])
  )
]
const anySubject = new RegExp(queryPatterns.map(({ source }) => source).join("|"), "u")

const countMatches = (patterns: ReadonlyArray<RegExp>, text: string): ReadonlyArray<number> => {
  const foldedText = foldText(text)
  return patterns.map((pattern) => Array.from(foldedText.matchAll(pattern)).length)
}

export const sentenceEndPattern = /\n|(?<=[.!?;。])\s/u

/** Returns the title and the first sentence of an article. */
export const getTitleAndFirstSentence = ({ body, title }: Pick<Article, "body" | "title">): string =>
  `${title}\n${body.split(sentenceEndPattern, 1)[0]!}`

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)

/** Returns whether a company's name contains the name of a subject and other words. */
const containsSubject = (name: string): boolean => {
  const foldedName = foldText(name)
  return anySubject.test(foldedName) && queryPatterns.some((pattern) => {
    const rest = foldedName.replace(pattern, "")
    return rest !== foldedName && /[\p{L}\p{N}]/u.test(rest)
  })
}

export type CompanyNames = ReadonlyArray<ReadonlyArray<string>>

/**
 * Creates a pattern that matches company names in a normalised text. A name also matches if a Korean particle follows
 * it.
 */
const compileNamesPattern = (names: ReadonlyArray<string>): RegExp => {
  const longestFirst = names.toSorted((a, b) => b.length - a.length).map((name) => escapeRegExp(foldText(name)))
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${longestFirst.join("|")})(?![\p{Script=Latin}\p{N}])`, "gu")
}

export interface SubjectMatcher {
  /** Returns the indices of the subjects that a question names. */
  readonly findSubjects: (query: string) => ReadonlyArray<number>
  /**
   * Returns whether an article is about all subjects of a list. An article is about a subject if its title or first
   * sentence names the subject, or if its text names the subject twice. A country's central bank, capital or main index
   * counts as the country.
   */
  readonly isAbout: (subjects: ReadonlyArray<number>, article: Pick<Article, "body" | "title">) => boolean
  /**
   * Returns a function that tests whether a text names a company of the question. A company counts only if its name
   * contains a subject.
   */
  readonly makeCompanyTest: (query: string) => (text: string) => boolean
}

/** Creates a matcher that ignores subjects within company names: S-Oil is not about oil. */
export const makeSubjectMatcher = (companies: CompanyNames): SubjectMatcher => {
  const companiesWithSubjects = companies.filter((names) => names.some(containsSubject))
  const companyNamesPattern = companiesWithSubjects.length === 0
    ? null
    : compileNamesPattern(companiesWithSubjects.flat())
  const removeCompanyNames = (text: string): string =>
    companyNamesPattern === null ? text : foldText(text).replace(companyNamesPattern, " ")
  return {
    findSubjects: (query) =>
      countMatches(queryPatterns, removeCompanyNames(query)).flatMap((count, i) => count > 0 ? [i] : []),
    isAbout: (subjects, { body, title }) => {
      if (subjects.length === 0) return true
      const beginningCounts = countMatches(
        articlePatterns,
        removeCompanyNames(getTitleAndFirstSentence({ body, title }))
      )
      if (subjects.every((subject) => beginningCounts[subject]! > 0)) return true
      const wholeCounts = countMatches(articlePatterns, removeCompanyNames(`${title}\n${body}`))
      return subjects.every((subject) => beginningCounts[subject]! > 0 || wholeCounts[subject]! > 1)
    },
    makeCompanyTest: (query) => {
      const queryCompanies = companiesWithSubjects.filter((names) =>
        foldText(query).search(compileNamesPattern(names)) >= 0
      )
      if (queryCompanies.length === 0) return () => true
      const pattern = compileNamesPattern(queryCompanies.flat())
      return (text) => foldText(text).search(pattern) >= 0
    }
  }
}
