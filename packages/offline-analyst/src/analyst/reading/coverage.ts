import type { Intent } from "../intent.ts"
import { coinPatterns } from "./coinNames.ts"
import { dayOf } from "./day.ts"
import { framesOf, horizonOf } from "./horizon.ts"
import { momentOf } from "./moment.ts"
import { numbersOf } from "./numbers.ts"
import type { Reading } from "./reading.ts"
import { rule } from "./rule.ts"
import { stockPatterns } from "./stockNames.ts"
import { isTopic } from "./topics.ts"
import { isFiller, isKnownWord, piecesIn } from "./unknownNames.ts"

/** Returns a pattern that matches whole words, because the patterns match the beginnings of words. */
const global = (pattern: RegExp): RegExp => new RegExp(`(?:${pattern.source})[\\p{L}]*`, "gu")

const names = [...coinPatterns, ...stockPatterns].map(({ texts: [en = "", ko = "", ru = ""] }) =>
  global(rule(en, ko, ru))
)

/** Matches time spans, days and times of day, except words for the present. */
const times =
  /(?<![\p{L}\d])(?:(?:over|in|for|from|since|at|on|by|within|during) )?(?:the )?(?:(?:last|past|next|previous|this|coming) )?(?:\d+[ -]?(?:m|min|h|hr|d|w|y)(?![a-z])|(?:\d+ ?)?(?:hours?|hrs?|days?|weeks?|months?|years?|quarters?)(?: ago)?(?![a-z])|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: \d{1,2})?(?![a-z])|yesterday|tomorrow|tonight|overnight|weekends?|ytd|weekly|monthly|yearly|daily|hourly|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}:\d{2}|\d{1,2} ?[ap]m(?![a-z])|\d+ ?(?:ч|м|д)(?![а-я]))|어제|그제|내일|모레|(?:지난|이번|다음)\s?(?:주|달|해)|\d+\s?(?:시간|분|일|주|개월|달|년)(?:봉|전)?|주말|일주일|이틀치?|사흘치?|주간|월간|\d+월(?: ?\d+일)?|[월화수목금토일]요일|올해|작년|내년|일봉|주봉|월봉|(?<![а-я])(?:(?:за|на|через|в) )?(?:\d+ ?)?(?:дн[а-я]+|день|дней|янв[а-я]*|фев[а-я]*|март[а-я]*|апр[а-я]*|июн[а-я]*|июл[а-я]*|авг[а-я]*|сент[а-я]*|окт[а-я]*|ноябр[а-я]*|декабр[а-я]*|вчера|завтра|позавчера|недел[а-я]*|месяц[а-я]*|год[а-я]*|час[а-я]*|сутки|суток|понедельник[а-я]*|вторник[а-я]*|сред[уы]|четверг[а-я]*|пятниц[а-я]*|суббот[а-я]*|воскресен[а-я]*)/gu

/** An amount with its scale and its unit. */
const amount = String
  .raw`\d[\d.,]*(?:\s?(?:%|(?:k|m|bn|mln|million|billion|x)(?![a-z])|(?:млн|тыс|к)(?![а-я])|만|천|억|조|원|달러|불|개|배))*`
/** Matches an amount, also one in Korean parts: "6만5천". */
const numbers = new RegExp(`(?<![\\p{L}\\d])[$₩€]?${amount}(?:(?<=[만억조])\\s?${amount})*`, "gu")

const blank = (text: string): string => " ".repeat(text.length)

/** Returns the matches of a pattern in a text, and the text without them. */
const take = (text: string, pattern: RegExp): readonly [ReadonlyArray<string>, string] => [
  Array.from(text.matchAll(pattern), ([found]) => found.trim()).filter((found) => found !== ""),
  text.replaceAll(pattern, blank)
]

const common = new Set(
  ("has have had having been being get gets got go goes gone any many more less than or if as not no yes let lets give given make made " +
    "take takes put keep use using work works work out off again still yet already ever never always here there these those them their " +
    "our ours your yours us we he she him her much very too really pretty quite bit lot lots kind sort thing things way ways one ones two " +
    "three first second both each per vs versus between against compared compare than because so since until while during around near " +
    "roughly about almost exactly anything something nothing everything someone anyone people guys bro man dude mate lol haha hmm uh um " +
    "wanna gonna should could would might must shall own such same different new old big small huge tiny nice fine cool lately recently " +
    "days time times moment point side part case deal coming come comes see seen look looking talk talks say says said tell told ask " +
    "please thx ty thank idea thoughts think feel feeling guess mean means sense read reading lead leads call calls happen happens happened " +
    "safe fair deep long hold holds held stay stays today's whats hows wheres whos im ive id dont doesnt isnt arent cant wont didnt " +
    "nearest points watch share push trade live strongest print end hr hrs min through behind worth estimates points nah got net option traders options " +
    "어때 어땠어 어떤 어느 얼마 얼마야 어떰 열려 나온 나옴 종합 한번 한번에 둘다 아직 너무 진짜 아님 있음 이달 이틀 여기 요소 구간 상태 규모 비율 프로 발표 일정 경제 " +
    "마감 간밤 상위 자리 포인트 위쪽 아래쪽 물량 몰린 몰려있음 찾아봐 비교 비교하면 잡으면 잡기 들어간 내역 흐름 올라 오름 늘었음 변화 변동폭 여부 공급 공급량 비싸 익절 손절가 " +
    "назови сколько дневке дневка индекс дела через вокруг недавно полчаса твои конца прошлый сделай чаще глубина дорого дорога дороги дешева дешево дороже " +
    "teh flow ㄱㄱ yo 어치 되려면 скинь ща " +
    "smart easy hard quick fast slow sure certain likely rn fr imo tho though btw asap u ur r n y plz how's what's it's that's let's")
    .split(" ")
)
const generic =
  /^(?:markets?|crypto|coins?|altcoins?|alts?|stocks|shares|any|all|some|most|biggest|top|everything|usd|account|시장|장|코인들?|전체|내|국내|거래소|주식|рын[а-я]+|крипт[а-я]+|акци[а-я]+|бирж[а-я]*|мои|моих|все|всех|всего|общ[а-я]*)$/u
const verbal =
  /^[a-z]{3,}(?:ing|ed|ly|'s|'re|'ll|n't)$|(?:어|아|요|까|죠|줘|나|네|니|냐|래|돼|해|됨|고|며|서|게|한|할|된|될|던|지|있|없|많|적|듯|쯤|씩|채|데|거|것|수|때|중|안|좀|잘|더|꼭|막|말|편|정도|기준|관련|부분|느낌|경우)$|^[가-힣]$|(?:ть|ться|тся|ет|ит|ют|ят|ут|ат|ал|ла|ло|ли|лся|лась|лись|лось|ешь|ишь|ем|им|йте|ый|ий|ой|ая|яя|ое|ее|ые|ие|ого|ему|ому|ых|их|ую|юю|ым|но|ко|ки)$|^(?:или|между|перед|кого|кому|чего|чем|кем|больше|меньше|сколько|насколько|очень|еще|уже|опять|раз|два|дела|свой|свою|своих|себя|себе|нам|вам|тебе|тоже|также|если|чтобы|пока|вот|хоть|лишь|даже|весь|эту|этом|том|том|тем|нынче|щас|че|чо|норм|плиз|бро)$/u

/** Returns whether a word has a meaning of its own, which an answer has to take into account. */
const isContent = (piece: string): boolean => {
  if (!/[\p{L}]{2}/u.test(piece) || isFiller(piece) || common.has(piece) || generic.test(piece)) return false
  return isKnownWord(piece) || isTopic(piece) || !verbal.test(piece)
}

/** Returns whether the answer of an intent depends on a time of its question. */
const readsSpan = ({ spans }: Intent, span: string, reading: Reading): boolean => {
  if (typeof spans === "function") return spans(reading)
  // A span that nothing could read, such as "since January", has no effect on an answer.
  return spans === "own" ||
    (spans === true &&
      (horizonOf(span) !== null || framesOf(span).length > 0 || dayOf(span) !== null || momentOf(span) !== null ||
        /\d(?::\d|\s?[ap]m)/u.test(span)))
}

const readsAmount = ({ numbers }: Intent, amount: string, reading: Reading): boolean => {
  if (typeof numbers !== "function") return numbers === true
  const [stated] = numbersOf(amount)
  return stated === undefined || numbers(reading).includes(stated.value)
}

/**
 * Returns the content words of a question that the intents of its answer do not use: neither instruments, nor words
 * that an intent reads, nor words that carry no meaning of their own. Returns none if an intent reads freely.
 */
export const unreadWords = (reading: Reading, intents: ReadonlyArray<Intent>): ReadonlyArray<string> => {
  if (intents.length === 0 || intents.some(({ reads }) => reads === undefined)) return []
  const symbols = reading.stocks.map(({ symbol }) => symbol)
  const own = new Set([...reading.coins, ...symbols, ...reading.strange].map((name) => name.toLowerCase()))
  const isExcluding = intents.some(({ excludes }) => excludes === true)
  const excluded = isExcluding ? [] : reading.excluded.map(({ words }) => words)
  let text = reading.excluded.reduce((rest, { words }) => rest.replace(words, blank), reading.words)
  for (const { reads = [] } of intents) for (const pattern of reads) [, text] = take(text, global(pattern))
  for (const pattern of names) [, text] = take(text, pattern)
  for (const name of own) text = text.replaceAll(name, blank)
  const [spans, timeless] = take(text, times)
  text = timeless
  const [amounts, rest] = take(text, numbers)
  const words = piecesIn(rest).filter((piece) => isContent(piece) && !reading.unread.includes(piece))
  return [
    ...new Set([
      ...excluded,
      ...spans.filter((span) => !intents.some((intent) => readsSpan(intent, span, reading))),
      ...amounts.filter((amount) => !intents.some((intent) => readsAmount(intent, amount, reading))),
      ...words
    ])
  ]
}
