import type { Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { ownTradeOf } from "../reading/trade.ts"
import { type Text, text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asksHelp = rule(
  "what can you do|what data|what do you (?:have|cover)|help(?: me)?\\??$|who are you|what are you|how do i use|your (?:capabilities|abilities)|what do you know|hello|hi|hey|good (?:morning|evening|afternoon)",
  "어떤 데이터|무슨 데이터|뭘 할 수|무엇을 할 수|뭐 할 수|할 수 있는|도움말|누구(?:세요|야|니|인가)|안녕|사용법",
  "какие данные|что ты умеешь|что (?:вы )?умеете|что ты можешь|помощь|кто ты|кто вы|привет|здравствуй|как пользоваться|добрый (?:день|вечер)"
)
const asksTrade = rule(
  "(?:^|please |can you |could you |just |go )(?:buy|sell|short|long) (?:me|some|an?|all|my|\\$?\\d[\\d.,]*k?)|place (?:an? |the )?(?:orders?|trades?)|execute|market order|withdraw|send (?:\\d|my|some|all)|transfer (?:\\d|my|all)|deposit (?:\\d|my)|close (?:all )?(?:my )?(?:positions?|trades?) (?:on|at)|trade for me|open (?:a )?(?:long|short)(?: position)? (?:on|for|with)",
  "(?:사|팔아|매수해|매도해|주문해|주문 넣어|주문을 넣어|송금해|출금해|이체해|입금해)\\s?(?:줘|주세요|달라|주라|라)|대신\\s?(?:매매|거래|사|팔)|주문\\s?(?:실행|체결)|(?:롱|숏)\\s?(?:열어|잡아)\\s?(?:줘|주세요)",
  "купи(?:те)?(?![а-я])|продай(?:те)?(?![а-я])|размести|выстави|исполни (?:ордер|заявк)|открой (?:лонг|шорт|сделк)|переведи|отправь (?:\\d|мои|все)|выведи (?:\\d|мои|деньг|средств)|торгуй за меня"
)
const asksSecrets = rule(
  "system prompt|your (?:instructions|prompt|api key|rules)|api keys?|passwords?|other (?:users?|accounts?|people)(?:'s)?|another (?:user|account)(?:'s)?|someone else's|user[_ ]?id|ignore (?:all |your |previous )?(?:instructions|rules)|jailbreak|private keys?|seed phrase",
  "시스템\\s?프롬프트|프롬프트를? (?:보여|알려|공개)|api\\s?키|비밀번호|다른\\s?(?:사용자|사람|계정|유저|고객)|남의\\s?(?:계정|포지션)|지시(?:를|사항)?\\s?무시|개인\\s?키|시드\\s?구문",
  "системн[а-я]+ промпт|твои инструкции|api[- ]?ключ|парол|друг(?:ого|их|ой|ие) (?:пользовател|аккаунт|счет|клиент|людей)|чуж(?:ой|ие|их|ого)|игнорируй|забудь (?:все )?(?:инструкц|правил)|приватн[а-я]+ ключ|сид-фраз"
)
const asksThanks =
  /^(?:ok(?:ay)?,? |cool,? |great,? )?(?:thx|thanks?(?: you)?|ty|cheers|nice one|고마[워웠][가-힣]*|감사[가-힣]*|땡큐|ㄱㅅ|ㄳ+|спс|спасиб[оа]?[а-я]*|благодар[а-я]+|пасиб[а-я]*)(?:[ ,!.~ㅎㅋ^)]|$)/u
const declines =
  /^(?:no|nope|nah|no,? thanks?|no,? thank you|not now|never ?mind|forget it|ok(?:ay)?|아니(?:요|오|야)?|아뇨|됐어(?:요)?|괜찮아(?:요)?|ㄴㄴ|싫어(?:요)?|오케이|ㅇㅋ|알겠어(?:요)?|нет|не надо|не нужно|нет,? спасибо|ок(?:ей)?|ладно)[.! ]*$/u
const asksNewsOf = rule(
  "news|headlines?|articles?|explain|what is|what are",
  "뉴스|기사|소식|뭐야|뜻",
  "новост|что такое"
)
const sureThing = rule(
  "100%|guaranteed|sure (?:thing|bet)|(?:gonna|will|going to) (?:10|20|50|100)x|(?:10|20|50|100)x (?:coin|gem)|can't lose|cannot lose",
  "무조건|100%|(?:열|\\d+)\\s?배\\s?(?:갈|가는|오를)|확실한 (?:코인|종목)|몇\\s?배 (?:갈|오를)",
  "точно (?:сделает|вырастет|даст)|100%|\\d+ ?икс|гарантированн|беспроигрышн|верняк"
)
const asksOther = rule(
  "weather|recipes?|cook(?:ing)?|poems?|poetry|jokes?|football|soccer|movies?|songs?|lyrics|translate|capital of|president|election|homework|essay|python|javascript|code (?:for|in|that)|doctor|medicine|headache|horoscope|dating|travel|restaurants?|flight",
  "날씨|레시피|요리|시를? 써|농담|축구|야구|영화|노래|가사|번역|수도는|대통령|선거|숙제|에세이|파이썬|자바스크립트|두통|병원|운세|여행|맛집|항공권",
  "погод|рецепт|приготов|стих|анекдот|шутк|футбол|фильм|песн|переведи (?:текст|на )|столиц|президент|выбор[ыа]х?(?![а-я])|домашн|сочинени|эссе|питон|python|javascript|голов[а-я]+ бол|врач|гороскоп|путешеств|ресторан|авиабилет"
)

const said = {
  help: text(
    "I answer from Tapeline's tools. Ask me about coins (price, trend, levels, indicators, volatility, order book), derivatives (funding, open interest, liquidations, basis), options (implied volatility, skew, max pain, gamma, strategies), the kimchi premium and Korean stocks with foreigners' flows, US stocks (earnings, ratings, insiders, options), the macro calendar and yields, on-chain, social and news, scores, signals, probabilities, backtests and charts.",
    "Tapeline 도구로 답합니다. 코인(시세, 추세, 지지·저항, 지표, 변동성, 호가), 파생(펀딩비, 미결제약정, 청산, 베이시스), 옵션(내재 변동성, 스큐, 맥스페인, 감마, 전략), 김치 프리미엄과 국내 주식·외국인 수급, 미국 주식(실적, 목표주가, 내부자, 옵션), 경제 일정과 금리, 온체인·소셜·뉴스, 점수·시그널·확률·백테스트·차트를 물어보세요.",
    "Отвечаю по инструментам Tapeline. Спрашивайте о монетах (цена, тренд, уровни, индикаторы, волатильность, стакан), деривативах (фандинг, открытый интерес, ликвидации, базис), опционах (подразумеваемая волатильность, скос, max pain, гамма, стратегии), кимчи-премии и корейских акциях с потоками иностранцев, акциях США (отчеты, рейтинги, инсайдеры, опционы), макрокалендаре и ставках, ончейне, соцсетях и новостях, баллах, сигналах, вероятностях, бэктестах и графиках."
  ),
  more: text(
    "With a key that may, I also read your positions and journal, size risk, and create alerts. I give odds, never promises.",
    "권한이 있는 키라면 포지션과 매매일지를 읽고, 위험 규모를 계산하고, 알림도 만듭니다. 약속이 아니라 확률로 말합니다.",
    "Если ключ позволяет, читаю ваши позиции и журнал, считаю риск и создаю оповещения. Даю вероятности, а не обещания."
  ),
  self: text(
    "I am Tapeline's offline analyst: a program of rules without a language model, and no person. I read questions about markets, call Tapeline's tools and write what they return.",
    "저는 Tapeline의 오프라인 애널리스트입니다. 사람도 언어 모델도 아닌 규칙 기반 프로그램으로, 시장에 대한 질문을 읽고 Tapeline 도구의 결과를 정리합니다.",
    "Я офлайн-аналитик Tapeline: программа на правилах, без языковой модели, не человек. Читаю вопросы о рынках, вызываю инструменты Tapeline и пишу, что они вернули."
  ),
  trade: text(
    "I cannot place orders or move money: Tapeline is a service of data and analysis, and has no tool that trades. What I can do is read the market for you, size the risk of your own order, or watch a price.",
    "저는 주문을 내거나 돈을 옮길 수 없습니다. Tapeline은 데이터와 분석 서비스이며 매매 도구가 없습니다. 시장 분석, 주문 위험 계산, 가격 감시는 해 드릴 수 있습니다.",
    "Я не могу выставлять заявки и переводить деньги: Tapeline это данные и анализ, инструмента для торговли здесь нет. Могу разобрать рынок, рассчитать риск вашей заявки или следить за ценой."
  ),
  secrets: text(
    "I cannot do that: I see only what your own key may read, never keys, hidden instructions or other people's accounts. Ask me about the market or about your own records.",
    "그 요청은 들어드릴 수 없습니다. 저는 본인 키가 읽을 수 있는 것만 보며, 키나 내부 지시, 다른 사람의 계정은 볼 수 없습니다. 시장이나 본인 기록에 대해 물어봐 주세요.",
    "Этого я не могу: мне видно только то, что разрешено вашему ключу, но не ключи, внутренние инструкции или чужие счета. Спросите о рынке или о своих записях."
  ),
  noData: text(
    "No tool of Tapeline has data on {subject}, so I answer nothing instead of something else.",
    "Tapeline에는 {subject} 데이터가 없습니다. 다른 내용으로 대신 답하지 않겠습니다.",
    "В Tapeline нет данных на тему «{subject}», а отвечать о другом я не стану."
  ),
  declined: text(
    "Fine, nothing was changed.",
    "알겠습니다. 아무것도 바뀌지 않았습니다.",
    "Хорошо, ничего не изменено."
  ),
  unclear: text(
    "I could not tell what you ask of the market, so I answer nothing rather than something else. Name a coin or a share and what you want to know of it: its price, outlook, levels, funding, liquidations, options, news.",
    "시장에 대해 무엇을 물으시는지 알아듣지 못해 다른 답을 지어내지 않겠습니다. 코인이나 종목, 그리고 알고 싶은 것(시세, 전망, 지지·저항, 펀딩비, 청산, 옵션, 뉴스)을 말씀해 주세요.",
    "Я не понял, что именно вы спрашиваете о рынке, и не стану отвечать о другом. Назовите монету или акцию и что о ней нужно: цена, прогноз, уровни, фандинг, ликвидации, опционы, новости."
  ),
  thanks: text(
    "You are welcome. Ask on whenever you like.",
    "천만에요. 궁금한 점이 있으면 또 물어보세요.",
    "Пожалуйста. Спрашивайте, если понадобится еще что-нибудь."
  ),
  noPromise: text(
    "I cannot name a sure thing: nobody can promise that a coin rises, and whoever does is selling something. What I can give are odds, how often signals were right, and what a rule would have earned.",
    "확실히 오르는 코인은 짚어 드릴 수 없습니다. 상승은 누구도 보장할 수 없고, 보장한다는 말은 의심하세요. 대신 확률, 시그널 적중률, 규칙의 과거 성과는 알려 드릴 수 있습니다.",
    "Назвать верную монету не могу: рост не может обещать никто, а кто обещает, тот что-то продает. Могу дать вероятности, точность сигналов и результат правила на истории."
  ),
  outside: text(
    "That is outside what I cover: I only answer about markets, from Tapeline's data. Ask me for instance how BTC stands, what moved today, or where funding is stretched.",
    "제가 다루는 범위 밖입니다. 저는 Tapeline 데이터로 시장에 대해서만 답합니다. 예를 들어 비트코인 상황, 오늘 많이 움직인 종목, 펀딩비 과열을 물어보세요.",
    "Это вне моей темы: я отвечаю только о рынках, по данным Tapeline. Спросите, например, как дела у BTC, что сегодня двигалось или где перегрет фандинг."
  )
}

const next = [
  questions.market,
  questions.outlookOfBitcoin,
  questions.movers
]

const asksSelf = rule(
  "(?:are|r) (?:you|u) (?:an? )?(?:gpt|bot|robot|ai|human|real|person|claude|llm|chatgpt|machine)|(?:who|what) (?:made|created|built|are) you|what(?:'s|s| is) your name|your name|which model",
  "(?:너|넌|당신) ?(?:봇|ai|gpt|사람|누구|이름)|이름이 뭐|누가 만들|gpt(?:야|니)|봇이(?:야|니)",
  "ты (?:бот|человек|gpt|ии|робот|нейросеть|живой)|кто тебя (?:сделал|создал)|как тебя зовут|(?:ты|вы) (?:чат)?gpt"
)

/** The intent for questions about the analyst itself. */
export const self: Intent = {
  name: "self",
  asked: ({ named, words }) => asksSelf.test(words) && !named,
  over: "all",
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.self, {}), evidence: [] }),
  next
}

export const help: Intent = {
  name: "help",
  general: true,
  asked: ({ coins, named, words }) => asksHelp.test(words) && (!named || coins.length === 0),
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.help, {}), evidence: [], change: say(said.more, {}) }),
  next
}

/** Returns whether a message states a trade with its stop or leverage, which is no order. */
const isStatedTrade = (reading: Reading): boolean => {
  const { entry, leverage, quantity, stop } = ownTradeOf(reading)
  return quantity !== null && entry !== null && (stop !== null || leverage !== null)
}

export const trade: Intent = {
  name: "trade",
  asked: (reading) => asksTrade.test(reading.words) && !isStatedTrade(reading),
  over: "all",
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.trade, {}), evidence: [] }),
  next
}

export const secrets: Intent = {
  name: "secrets",
  asked: ({ words }) => asksSecrets.test(words),
  over: "all",
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.secrets, {}), evidence: [] }),
  next
}

const promiseNext = [
  questions.hitRate,
  questions.signals,
  questions.movers
]

export const thanks: Intent = {
  name: "thanks",
  asked: ({ named, question }) => question.length <= 40 && asksThanks.test(question.trim().toLowerCase()) && !named,
  over: "all",
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.thanks, {}), evidence: [] }),
  next
}

/** The intent for declining a proposal, or for an "ok" that requests nothing. */
export const declined: Intent = {
  name: "declined",
  asked: ({ question }) => question.length <= 40 && declines.test(question.trim().toLowerCase()),
  over: "all",
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.declined, {}), evidence: [] }),
  next
}

const ofMarkets = rule(
  "markets?|prices?|longs?|shorts?|stops?|positions?|trades?|coins?|rally|charts?|divergences?|bullish|bearish|arb(?:itrage)?|btc|eth",
  "시장|가격|롱|숏|손절|포지션|매매|코인|차트|다이버전스|강세|약세|차익",
  "рынок|рынка|цен[аы]|лонг|шорт|стоп|позици|сделк|монет|график|дивергенц|бычь|медвеж|арбитраж"
)

/** The intent for requests for certain profits without a named instrument. */
export const noPromise: Intent = {
  name: "noPromise",
  asked: ({ coins, named, stocks, words }) =>
    sureThing.test(words) &&
    rule("coins?|token|stock|one|gem|what", "코인|종목|하나|거|뭐", "монет|акци|что|токен").test(words) &&
    (!named || (coins.length === 0 && stocks.length === 0)),
  over: "all",
  plan: () => [],
  write: (_, _found, { say }) => ({ verdict: say(said.noPromise, {}), evidence: [] }),
  next: promiseNext
}

/** Subjects for which no tool has data. */
const withoutData: ReadonlyArray<readonly [words: RegExp, subject: Text<never>]> = [
  [
    rule("(?:token )?unlocks?|vesting|emission schedule", "언락|락업 ?해제|베스팅", "разлок|анлок|вестинг"),
    text("token unlocks", "토큰 언락 일정", "разлоки токенов")
  ],
  [
    rule(
      "etfs? (?:in|out|net)?[- ]?flows?|flows? (?:in|into|of) (?:the )?(?:spot )?(?:[a-z]+ )?etfs?",
      "etf (?:자금|순?유입|순?유출|플로우)",
      "(?:приток|отток|поток)[а-я]* (?:в )?etf|etf (?:приток|отток)"
    ),
    text("flows of ETFs", "ETF 자금 흐름", "потоки ETF")
  ],
  [
    rule("coinbase premium", "코인베이스 프리미엄", "преми[а-я]* (?:на )?коинбейс"),
    text("the Coinbase premium", "코인베이스 프리미엄", "премия Coinbase")
  ],
  [
    rule("gas (?:fees?|price)|gwei", "가스비|수수료율", "газ(?:а|ом)?(?![а-я])|комисси[а-я]+ сети"),
    text("network fees", "네트워크 수수료", "комиссии сети")
  ],
  [
    rule("hash ?rate|mining difficulty|miners?", "해시레이트|채굴", "хешрейт|майнинг|майнер"),
    text("mining", "채굴", "майнинг")
  ],
  [
    rule(
      "cvd|order ?flow|footprint|delta divergence",
      "cvd|오더 ?플로우|체결 ?강도",
      "cvd|ордер ?флоу|кумулятивн[а-я]+ дельт"
    ),
    text("order flow", "오더플로우", "поток ордеров")
  ]
]

/** The intent for subjects without data, which no other figure replaces. */
export const noData: Intent = {
  name: "noData",
  asked: ({ words }) => withoutData.some(([subject]) => subject.test(words)) && !asksNewsOf.test(words),
  over: "all",
  plan: () => [],
  write: ({ words }, _found, { format, lang, say }) => ({
    verdict: say(said.noData, {
      subject: format.list(withoutData.flatMap(([subject, label]) => subject.test(words) ? [label[lang]] : []))
    }),
    evidence: []
  }),
  next
}

/** Intents that are answered without figures, whatever instruments a question names. */
export const ofNoMarket: ReadonlySet<string> = new Set([
  "noData",
  "secrets",
  "self",
  "trade",
  "thanks",
  "declined",
  "noPromise",
  "outside"
])

/** The intent for unrelated questions and for questions that no other intent matches. */
export const outside: Intent = {
  name: "outside",
  asked: ({ words }) => asksOther.test(words),
  over: "all",
  plan: () => [],
  write: ({ coins, stocks, words }, _found, { say }) => {
    const unclear = !asksOther.test(words) && (coins.length > 0 || stocks.length > 0 || ofMarkets.test(words))
    return { verdict: say(unclear ? said.unclear : said.outside, {}), evidence: [] }
  },
  next
}
