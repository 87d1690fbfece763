import type { Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { type Text, text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asksMeaning = rule(
  "what(?:'s|s| is| are| does|) (?:an? |the )?[a-z0-9 /-]+?(?: mean)?\\??$|wtf (?:is|are|does)|eli5|define|definition(?: of)?|explain(?: me)?(?: what)?|meaning of|how does [a-z ]+ work",
  "(?:이|가|이란|란|은|는)?\\s?(?:뭐야|뭔데|뭐임|뭐냐|뭔가요|무엇인가요|뭐예요|뭐지|뜻|의미|무엇을 의미)|이란\\??$|란\\??$|설명해",
  "что такое|ч[еёо] такое|что за|что значит|что означает|объясни(?:,)? что|определение|как работает"
)
const ofNow = rule(
  "now|today|current(?:ly)?|latest|right now",
  "지금|현재|오늘|얼마|제일|가장|높은|낮은|코인",
  "сейчас|сегодня|текущ"
)

/** Matches questions for a current figure: "what is the funding rate", unlike "what is a funding rate". */
const ofFigures = rule(
  "(?:what(?:'s|s| is| are)) (?:the|its|their)(?! (?:meaning|definition|point|purpose|difference|concept|idea))(?!.* mean)",
  "(?:펀딩비?|펀비|미결제약정|내재변동성|베이시스|점수|스큐|맥스페인)(?:은|는|도)?\\s?(?:얼마|몇|어때|\\?$)",
  "как(?:ой|ая|ое|ие) (?:у (?:него|нее|них) |сейчас )?"
)

interface Term {
  readonly name: string
  readonly pattern: RegExp
  readonly meaning: Text<never>
}

const term = (name: string, pattern: RegExp, meaning: Text<never>): Term => ({ name, pattern, meaning })

const terms: ReadonlyArray<Term> = [
  term(
    "funding",
    rule("funding(?: rates?)?", "펀딩|자금조달", "фандинг|ставк[аи] финансирован"),
    text(
      "Funding is a payment between holders of perpetual futures, exchanged every few hours: when the perpetual trades above spot, longs pay shorts, and the other way round. It keeps the contract near spot. High positive funding says that longs are crowded and pay to stay; negative funding says that shorts do.",
      "펀딩비는 무기한 선물 보유자끼리 몇 시간마다 주고받는 금액입니다. 선물이 현물보다 비싸면 롱이 숏에게, 싸면 숏이 롱에게 냅니다. 선물 가격을 현물 근처에 묶어 두는 장치입니다. 높은 양의 펀딩비는 롱 쏠림을, 음의 펀딩비는 숏 쏠림을 뜻합니다.",
      "Фандинг это платеж между держателями бессрочных фьючерсов раз в несколько часов: если перп дороже спота, лонги платят шортам, если дешевле, наоборот. Так цена контракта держится у спота. Высокий положительный фандинг говорит о перегруженных лонгах, отрицательный о перегруженных шортах."
    )
  ),
  term(
    "openInterest",
    rule("open interest|oi", "미결제약정|미결제", "(?:открыт[а-я]+|опен) интерес"),
    text(
      "Open interest is the number of futures contracts that are open: it rises when a new buyer meets a new seller and falls when both close. With price up and open interest up, new money is in the move; with price up and open interest down, it is shorts closing.",
      "미결제약정은 아직 청산되지 않은 선물 계약 수입니다. 새 매수자와 새 매도자가 만나면 늘고, 둘 다 청산하면 줄어듭니다. 가격과 함께 늘면 새 자금이 들어온 상승이고, 가격은 오르는데 줄면 숏 청산에 따른 상승입니다.",
      "Открытый интерес это число открытых фьючерсных контрактов: растет, когда новый покупатель встречает нового продавца, и падает, когда оба закрываются. Рост цены с ростом интереса означает новые деньги, с падением интереса закрытие шортов."
    )
  ),
  term(
    "rsi",
    rule("rsi|relative strength", "rsi|상대강도", "rsi|относительной силы"),
    text(
      "RSI compares the average gain with the average loss over a number of bars, usually fourteen, on a scale from 0 to 100. Above 70 is called overbought, below 30 oversold. In a strong trend it can stay extreme for long, so it is read with the trend and not against it.",
      "RSI는 보통 14개 봉의 평균 상승폭과 평균 하락폭을 비교해 0~100으로 나타낸 지표입니다. 70 위는 과매수, 30 아래는 과매도라고 부릅니다. 강한 추세에서는 오래 극단에 머물 수 있어 추세와 함께 읽어야 합니다.",
      "RSI сравнивает средний рост со средним падением за несколько баров (обычно 14) по шкале от 0 до 100. Выше 70 говорят о перекупленности, ниже 30 о перепроданности. В сильном тренде он долго остается на краю, поэтому читать его надо вместе с трендом."
    )
  ),
  term(
    "macd",
    rule("macd", "macd", "macd"),
    text(
      "MACD is the difference of a fast and a slow exponential average; its signal line is an average of that difference. The histogram, one less the other, shows whether momentum grows or fades.",
      "MACD는 빠른 지수이동평균과 느린 지수이동평균의 차이이고, 시그널선은 그 차이의 평균입니다. 둘의 차이인 히스토그램은 모멘텀이 커지는지 약해지는지 보여 줍니다.",
      "MACD это разность быстрой и медленной экспоненциальных средних; сигнальная линия средняя этой разности. Гистограмма, их разница, показывает, растет импульс или затухает."
    )
  ),
  term(
    "kimchi",
    rule("kimchi(?: premium)?", "김치\\s?프리미엄|김프", "кимчи"),
    text(
      "The kimchi premium is how much more a coin costs in won on Korean exchanges than in dollars elsewhere, at the interbank rate. Part of it is the price of dollars (stablecoins) in Korea, part is demand for the coin itself. Capital controls keep it from being arbitraged away.",
      "김치 프리미엄은 국내 거래소의 원화 가격이 해외 달러 가격(은행 환율 기준)보다 얼마나 비싼지를 말합니다. 일부는 국내 달러(테더) 가격, 일부는 코인 자체 수요입니다. 자본 이동 규제 때문에 차익거래로 쉽게 사라지지 않습니다.",
      "Кимчи-премия показывает, насколько монета дороже в вонах на корейских биржах, чем в долларах за рубежом по межбанковскому курсу. Часть ее это цена долларов (стейблкоинов) в Корее, часть спрос на саму монету. Валютный контроль мешает арбитражу ее убрать."
    )
  ),
  term(
    "maxPain",
    rule("max ?pain", "맥스\\s?페인", "макс[а-я]*[ -]?пейн|max pain|максимальн[а-я]+ бол"),
    text(
      "Max pain is the strike at which the holders of options would together receive least at expiry. Price is sometimes said to be drawn to it as hedges unwind; the effect is weak and matters only in the last days before a large expiry.",
      "맥스페인은 만기에 옵션 보유자들이 받는 돈이 가장 적어지는 행사가입니다. 헤지 청산으로 가격이 그쪽으로 끌린다는 말이 있지만 효과는 약하고, 큰 만기 직전 며칠에만 의미가 있습니다.",
      "Max pain это страйк, при котором держатели опционов вместе получат на экспирации меньше всего. Считается, что цена к нему тянется при снятии хеджа; эффект слабый и заметен лишь в последние дни перед крупной экспирацией."
    )
  ),
  term(
    "gamma",
    rule("gamma(?: flip| exposure)?|gex", "감마|gex", "гамм|gex"),
    text(
      "Gamma exposure (GEX) estimates how much dealers must trade for a move of one percent to stay hedged. Positive: they sell rises and buy falls, which calms. Negative: they chase, which adds to moves. The gamma flip is the price between the two.",
      "감마 노출(GEX)은 1% 움직일 때 딜러가 헤지를 위해 얼마나 매매해야 하는지의 추정치입니다. 양수면 오를 때 팔고 내릴 때 사서 변동이 줄고, 음수면 따라가며 매매해 변동이 커집니다. 감마 전환점은 그 경계 가격입니다.",
      "Гамма-экспозиция (GEX) оценивает, сколько дилерам надо торговать при движении на 1%, чтобы остаться захеджированными. Плюс: продают рост и покупают падение, рынок спокойнее. Минус: догоняют цену, движения сильнее. Точка смены гаммы это цена между ними."
    )
  ),
  term(
    "impliedVolatility",
    rule("implied vol(?:atility)?|iv(?: rank)?", "내재\\s?변동성|iv", "подразумеваем|iv"),
    text(
      "Implied volatility is the volatility at which an option's price makes sense: what the market charges for movement until expiry, a year. Set beside what was realised, it tells whether options were dear or cheap; its percentile compares it with its own past.",
      "내재 변동성은 옵션 가격이 말이 되게 하는 변동성, 즉 만기까지의 움직임에 시장이 매기는 값(연율)입니다. 실현 변동성과 비교하면 옵션이 비쌌는지 쌌는지 알 수 있고, 백분위는 과거와 비교한 위치입니다.",
      "Подразумеваемая волатильность это та, при которой цена опциона оправдана: сколько рынок берет за движение до экспирации, в годовых. Рядом с реализованной она показывает, дороги опционы или дешевы; перцентиль сравнивает с ее прошлым."
    )
  ),
  term(
    "skew",
    rule("skew", "스큐", "скью|скос"),
    text(
      "Skew is the difference of implied volatility between calls and puts of equal delta, here 25. Below zero the market pays more for protection, above zero for upside.",
      "스큐는 델타가 같은(여기서는 25) 콜과 풋의 내재 변동성 차이입니다. 0보다 작으면 하방 보호에, 크면 상방에 더 비싼 값을 치르는 것입니다.",
      "Скос это разница подразумеваемой волатильности коллов и путов равной дельты, здесь 25. Ниже нуля рынок дороже платит за защиту, выше нуля за рост."
    )
  ),
  term(
    "basis",
    rule("basis|contango|backwardation", "베이시스|콘탱고|백워데이션", "базис|контанго|бэквордац"),
    text(
      "Basis is the futures price over spot, in percent; annualised, it is what buying spot and selling the future earns. Contango is a positive basis, backwardation a negative one.",
      "베이시스는 선물이 현물보다 비싼 정도(퍼센트)이며, 연율로 바꾸면 현물 매수·선물 매도 차익거래의 수익률입니다. 양수면 콘탱고, 음수면 백워데이션입니다.",
      "Базис это превышение фьючерса над спотом в процентах; в годовых это доход от покупки спота и продажи фьючерса. Контанго положительный базис, бэквордация отрицательный."
    )
  ),
  term(
    "liquidation",
    rule("liquidations?", "청산", "ликвидаци"),
    text(
      "A liquidation is a leveraged position closed by the exchange because its margin no longer covers the loss. Liquidations of longs sell into a fall and of shorts buy into a rise, so clusters of them make moves feed on themselves.",
      "청산은 증거금이 손실을 감당하지 못해 거래소가 레버리지 포지션을 강제로 닫는 것입니다. 롱 청산은 하락 중의 매도, 숏 청산은 상승 중의 매수라서 몰려 있으면 움직임이 스스로 커집니다.",
      "Ликвидация это закрытие позиции с плечом биржей, когда залога не хватает на убыток. Ликвидации лонгов продают на падении, шортов покупают на росте, поэтому их скопления усиливают движение."
    )
  ),
  term(
    "vwap",
    rule("vwap", "vwap|브이왑", "vwap"),
    text(
      "VWAP is the average price weighted by volume since an anchor, usually the day's start. Above it the buyers of the day are in profit, below it they are at a loss; large orders are often measured against it.",
      "VWAP은 기준 시점(보통 하루 시작)부터 거래량으로 가중한 평균 가격입니다. 그 위면 당일 매수자가 이익, 아래면 손실이며, 큰 주문의 성과를 재는 기준으로 쓰입니다.",
      "VWAP это средняя цена, взвешенная по объему, от точки отсчета, обычно начала дня. Выше нее покупатели дня в плюсе, ниже в минусе; по ней меряют исполнение крупных заявок."
    )
  ),
  term(
    "score",
    rule("(?:composite )?score", "종합\\s?점수|점수", "сводн[а-я]+ балл|балл"),
    text(
      "The composite score sums up trend, momentum, volume and positioning of a coin by stated weights, from -100 to 100, each hour. It is a lean, not a forecast: ask for its hit rate before you rely on it.",
      "종합 점수는 코인의 추세, 모멘텀, 거래량, 포지셔닝을 공개된 가중치로 합쳐 매시간 -100~100으로 나타낸 값입니다. 예측이 아니라 기울기이니, 의존하기 전에 적중률을 확인하세요.",
      "Сводный балл складывает тренд, импульс, объем и позиции монеты с известными весами, от -100 до 100, каждый час. Это перевес, а не прогноз: прежде чем полагаться, спросите о точности сигналов."
    )
  ),
  term(
    "dominance",
    rule("dominance", "도미넌스|점유율", "доминаци"),
    text(
      "Dominance is a coin's share of the total market value of all coins. Bitcoin's falling while the total rises means that money moves on to other coins.",
      "도미넌스는 전체 코인 시가총액에서 한 코인이 차지하는 비중입니다. 전체가 오르는데 비트코인 비중이 줄면 자금이 다른 코인으로 옮겨 가는 것입니다.",
      "Доминация это доля монеты в общей капитализации всех монет. Если доля биткоина падает при росте общей, деньги идут в другие монеты."
    )
  ),
  term(
    "futures",
    rule("perp(?:etual)?s?|futures?", "선물|무기한", "фьючерс|перп|бессрочн"),
    text(
      "A future is a contract to buy or sell at a fixed price on a later date; its price leans to spot as the date comes near. A perpetual has no date: payments between longs and shorts, the funding, keep its price near spot.",
      "선물은 정해진 날짜에 정해진 가격으로 사고파는 계약이며, 만기가 다가올수록 현물 가격에 가까워집니다. 무기한 선물은 만기가 없고, 롱과 숏이 주고받는 펀딩비가 가격을 현물 근처에 묶어 둡니다.",
      "Фьючерс это контракт на покупку или продажу по заданной цене в будущую дату; к этой дате его цена сходится со спотом. У бессрочного контракта даты нет: у спота его держат платежи между лонгами и шортами, фандинг."
    )
  ),
  term(
    "cvd",
    rule("cvd|cumulative (?:volume )?delta", "cvd", "cvd|кумулятивн"),
    text(
      "CVD is the cumulative volume delta: what takers bought minus what they sold, added up over time. It shows who crosses the spread. Here the taker buying of a perpetual is known by hour, but no CVD of spot.",
      "CVD는 누적 거래량 델타로, 테이커 매수에서 매도를 뺀 값을 계속 더한 것입니다. 누가 시장가로 체결하는지를 보여 줍니다. 여기서는 무기한 선물의 시간별 테이커 매수만 알 수 있고 현물 CVD는 없습니다.",
      "CVD это накопленная дельта объёма: покупки тейкеров минус продажи, нарастающим итогом. Она показывает, кто бьёт по рынку. Здесь известны часовые покупки тейкеров бессрочных контрактов, но не CVD спота."
    )
  )
]

const termOf = ({ words }: Reading): Term | undefined => terms.find(({ pattern }) => pattern.test(words))

const said = {
  ask: text(
    "Name a coin and I tell its number now.",
    "코인을 말씀해 주시면 현재 수치를 알려 드립니다.",
    "Назовите монету, и я скажу ее текущее значение."
  )
}

/** Matches a figure of an instrument that an earlier question or answer named: "whats its funding". */
const ofIt = rule("its|their", "(?:그|얘) ?(?:코인|종목)", "(?:его|ее|их) (?:фандинг|цен|rsi)")

export const glossary: Intent = {
  name: "glossary",
  reads: [asksMeaning, ofFigures, ...terms.map(({ pattern }) => pattern)],
  asked: (reading) =>
    asksMeaning.test(reading.words) && !ofNow.test(reading.words) && !reading.named && !ofIt.test(reading.words) &&
    !(ofFigures.test(reading.words) && reading.coins.length + reading.stocks.length > 0) &&
    termOf(reading) !== undefined,
  over: "all",
  plan: () => [],
  write: (reading, _, { say }) => {
    const found = termOf(reading)
    return { verdict: found === undefined ? null : say(found.meaning, {}), evidence: [], change: say(said.ask, {}) }
  },
  next: [
    text("How is BTC's funding now?", "지금 비트코인 펀딩비는 어떤가요?", "Какой сейчас фандинг у биткоина?"),
    questions.outlookOfBitcoin,
    text("What can you do?", "무엇을 할 수 있나요?", "Что ты умеешь?")
  ]
}
