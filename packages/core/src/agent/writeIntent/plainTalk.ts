import { wordPattern } from "../../engine/text/wordPattern.ts"

/* Words that a request may be made of beside its instruments, numbers, things and verbs: they say nothing more. */

const set = (...lists: ReadonlyArray<string>): ReadonlySet<string> => new Set(lists.join(" ").split(" "))

/** Words without a meaning of their own, and politeness. Nobody but the two who talk is among them. */
export const talk: ReadonlySet<string> = set(
  "a an the this that these those my mine our i i'm i've i'd i'll me we us you it its of in on at to from by for " +
    "with as per each into onto about " +
    "and then also too so just only now here there again more than up down off out over all both one two first " +
    "second third next finally",
  "please pls plz kindly thanks thank thx ty cheers much very hi hey hello good morning evening afternoon night " +
    "day dear ok okay alright great perfect " +
    "cool nice done right away asap immediately today tonight way btw quickly yes yep yeah sure well " +
    "can could will would need want " +
    "like go ahead let know tell using use named number id rest bought sold entered opened took take filled got " +
    "everything new current existing",
  "usd usdt dollar dollars bucks eur krw won percent pct x k utc gmt kst msk am pm time hours hour minutes minute " +
    "min price market trade trading journal max maximum min minimum total current " +
    "log book side cost average spot perp perpetual futures margin cross isolated coin coins token crypto",
  "у на по в во с со к ко о об от до из за для и а но же то это этот эту эти мой моя мое мои моей моем моего моих " +
    "моему мою наш наша нашу я мне меня мы нам " +
    "ты вы тебя вас бы пожалуйста пожалуста плиз плз спасибо благодарю заранее большое привет здравствуй " +
    "здравствуйте добрый доброе добрый день утро вечер еще также " +
    "тоже ну так вот теперь сейчас сразу срочно сегодня хорошо ок окей отлично супер сначала затем далее " +
    "во-первых во-вторых наконец заодно да ага конечно кстати " +
    "можешь можете сможешь можно прошу мог могла дай дайте знать напиши вниз вверх только просто ровно примерно " +
    "около долларов доллара доллар баксов рублей процент процента процентов " +
    "час часа часов минут минуты время мск москве москвы utc тыс тысяч млн рынок рынка рынке цена цену цене цены " +
    "монет монеты монета один одну два первый второй раз весь всю купил купила продал продала вошел вошла зашел " +
    "зашла открыл открыла взял взяла " +
    "покажи скажи запись заметку пометку его ее их как паузу паузы максимальный максимальное максимальную максимум минимум общий текущий текущую"
)

/** Those of them that somebody else, or what somebody else has written, may be called. */
export const ofOthers: ReadonlySet<string> = set(
  "we us you i i'll i'd i've everything trading journal market book log let tell know",
  "вы вас ты тебя мы нам запись заметку пометку покажи скажи напиши рынок рынка рынке"
)

/** What people ask about markets: a question beside a request is about one of these, or about what it names. */
export const topics: RegExp = wordPattern(
  "price|funding|trend|levels?|support|resistance|rsi|macd|volatility|volume|open interest|news|liquidations?|" +
    "risk|pnl|profit|" +
    "loss|chart|score|signals?|market|dominance|premium|basis|options?|sentiment|forecast|outlook",
  "가격|펀딩|추세|지지|저항|변동성|거래량|미결제|뉴스|청산|리스크|손익|차트|점수|시그널|시장|김프|프리미엄|베이시스|옵션|전망|시황|얼마",
  "цен|фандинг|тренд|уров|поддержк|сопротивлен|волатильност|объем|открыт[а-я]+ интерес|новост|ликвидац|риск|" +
    "прибыл|убыт|" +
    "график|балл|сигнал|рын|доминац|преми|базис|опцион|настроен|прогноз"
)

/** What is attached to words, and the ends of verbs. */
const endings =
  "은|는|이|가|을|를|의|에|에서|에게|한테|께|로|으로|으|랑|이랑|와|과|도|만|까지|부터|마다|씩|쯤|정도|이고|이며|하고|고|며|서|면|니|나|까|요|다|" +
  "해|하|한|할|했|했어|했습니다|했음|함|됨|되|된|돼|줘|주|줄|주세|세|시|십시오|주십시오|실|실래|을래|래|수|있|습니다|습니까|어|아|ㅎ|ㅋ|ㅠ|ㅇ|" +
  "부탁|드려|드립니다|합니다|거|것"
/** Words that stand by themselves. */
const alone =
  "넵|네|예|응|어|아|ㅎ|ㅋ|ㅠ|ㅇ|부탁|좀|지금|바로|당장|빨리|오늘|우선|먼저|다음|그리고|또|또한|및|추가|처리|표시|최대|최소|현재|기준|한국|시간|달러|불|원|퍼센트|프로|배|" +
  "번|개|회|안녕|하세|감사|고마|고마워|좋아|자|저기|참|그럼|그러|이제|마지막|한번|다시|모두|전부|둘|새|내|제|저|나|우리|나의|저의|거|것|이것|그것|방금|막|샀|팔았|들어갔|잡았|" +
  "열었|매수|매도|진입|그거|이거|값|당|알려|보내|가격|시장|코인|종목|단가|금액|정보|내역|해|수|있|줘|주|할|이|그|와"
const koreanEndings = new Set(endings.split("|"))
const koreanAlone = new Set(alone.split("|"))
const koreanParts = new Set([...koreanEndings, ...koreanAlone])
/** No part is longer, and no word. */
const longestEnding = 5
const longestWord = 40

/** Whether a word is put together of `parts`, and of nothing else; the first of them is one of `first`. */
export const isMadeOf = (word: string, parts: ReadonlySet<string>, first = parts): boolean => {
  const plain = word.replaceAll(/([ㅎㅋㅠ])\1+/gu, "$1")
  if (plain.length > longestWord) return false
  const reached = [true]
  for (let end = 1; end <= plain.length; end++) {
    reached[end] = Array.from({ length: Math.min(end, longestEnding) }, (_, i) => end - i - 1)
      .some((from) => reached[from] === true && (from === 0 ? first : parts).has(plain.slice(from, end)))
  }
  return reached[plain.length] === true
}

/** Whoever does something, where it is not the two who talk: "하나가", "시장이". */
const someone = /(?:이|가|께서|한테|에게|께)$/u
const oneself =
  /^(?:내가|제가|나에게|나한테|저에게|저한테|내게|제게|가격이|단가가|금액이|값이|이게|그게|이거가|현재가)$/u

/**
 * Whether a Korean word is made of endings, particles and what else stands between what a request names. `attached`: it
 * is what is left of a word that began with such a name, as particles are.
 */
export const isKoreanTalk = (word: string, attached: boolean): boolean =>
  attached
    ? isMadeOf(word, koreanParts)
    : isMadeOf(word, koreanParts, koreanAlone) && (!someone.test(word) || oneself.test(word))
