import { wordPattern } from "../../engine/text/wordPattern.ts"

/** What a request is about. */
export const nouns = {
  watchlist: wordPattern(
    "watch ?-?list",
    "관심 ?(?:종목|목록|리스트|코인)|워치 ?리스트",
    "вотч-?лист|спис[а-я]+ (?:наблюдени|отслеживани)[а-я]*|избранн[а-я]*"
  ),
  notifications: wordPattern("notifications?|bell", "알림", "уведомлени"),
  read: wordPattern("(?:as )?read|seen", "읽음|읽은", "прочитан|просмотрен"),
  task: wordPattern(
    "tasks?|alerts?|reminders?|schedules?|alarms?|watch",
    "알림|알람|작업|태스크|예약|경보",
    "задач|задани|алерт|оповещени|напоминани|уведомлени"
  ),
  note: wordPattern("notes?|journal|diary|memo", "메모|노트|일지|저널|일기", "заметк|журнал|дневник"),
  stop: wordPattern(
    "stop(?:-? ?loss)?|sl",
    "스탑(?:로스)?|스톱(?:로스)?|손절[가선]?",
    "стоп(?:-?лосс?)?[а-я]{0,2}(?![а-я])|сл(?![а-я])"
  ),
  take: wordPattern(
    "take[ -]?profits?|tps?\\d?|targets?|takes",
    "익절[가선]?|목표가?|테이크",
    "тейк|тп(?![а-я])|цел[ьияе]"
  ),
  leverage: wordPattern("leverage|lev", "레버리지|배율", "плеч"),
  entry: wordPattern(
    "entry(?: price)?|entered(?: at)?|bought(?: at)?|sold(?: at)?",
    "진입가?|매수가|평단가?",
    "вход|вошел|вошла|купил|цена входа"
  ),
  size: wordPattern("size|notional|worth", "규모|사이즈|크기|어치", "размер|объем|на сумму"),
  fee: wordPattern("fees?|commissions?", "수수료", "комисси"),
  accountSize: wordPattern(
    "account(?: size| balance)?|balance|capital|equity",
    "계좌(?: ?(?:규모|크기))?|자본금?|자금|시드",
    "депозит|капитал|счет|баланс"
  ),
  openRisk: wordPattern(
    "(?:max(?:imum)? |total )?open risk",
    "(?:최대 |총 |전체 )?(?:오픈 ?리스크|미결제 ?위험|총 ?리스크|총 ?위험)",
    "(?:максимальн[а-я]+ |общ[а-я]+ )?открыт[а-я]+ риск"
  ),
  maxLeverage: wordPattern(
    "max(?:imum)?\\.? (?:leverage|lev)|leverage (?:cap|limit)",
    "최대 ?(?:레버리지|배율)|레버리지 ?한도",
    "макс[а-я.]* плеч|предел плеч|лимит плеч"
  ),
  risk: wordPattern("risk(?: per trade)?", "리스크|위험|손실 ?한도", "риск"),
  profile: wordPattern("risk profile|profile", "프로필|프로파일", "профил"),
  tradeId: wordPattern("trade|closed trade", "거래|매매", "сделк"),
  position: wordPattern(
    "positions?|trades?|longs?|shorts?",
    "포지션|롱|숏|매매|거래",
    "позици|сделк|лонг|шорт"
  ),
  at: wordPattern("at|@|price", "가격", "по(?= ?[$\\d])|цен[аеу]")
} as const

export const long = wordPattern("longs?|longed|buy|bought", "롱|매수", "лонг|купил")
export const short = wordPattern("shorts?|shorted|sell|sold", "숏|공매도|매도", "шорт|продал")
export const half = wordPattern("half", "절반|반만|반(?= ?(?:청산|정리|닫))", "половин|наполовину")
/** A number in words, right before what it counts. */
export const few = /(?<![a-z])(?:one|two|third)(?: of)?(?: an?)? $/iu
export const fewCoins = wordPattern(
  "(?:one|two|third)(?: of)?(?: an?)? (?:coin|token)s?",
  "[한두반] ?개",
  "(?:одн|дв)[а-я]+ монет"
)
export const above = wordPattern(
  "above|over|past|exceeds?|higher than|(?:rises?|goes|climbs?|gets|up) to|reclaims?|breaks? out",
  "넘|이상|초과|돌파|위로|올라|오르|상회",
  "выше|превысит|пробьет вверх|поднимется|вырастет|больше|дорастет|перевалит"
)
export const below = wordPattern(
  "below|under|beneath|less than|lower than|(?:falls?|drops?|dips?|goes down|declines?|down) to|loses?",
  "밑|이하|미만|아래|떨어지|하락|내려가|내려오|깨지|하회|붕괴",
  "ниже|упадет|опустится|меньше|просядет|снизится|пробьет вниз|свалится"
)
export const reaches = wordPattern(
  "hits?|reach(?:es)?|touch(?:es)?|crosses|gets to|breaks?|trades at|is at",
  "도달|터치|닿|찍|되면|오면|가면|깨|뚫",
  "достигнет|коснется|дойдет|пробьет|пересечет|будет"
)
export const score = wordPattern("score", "점수|스코어", "скор|оценк|балл")
export const vwap = wordPattern("vwap", "브이왑", "в?вап(?![а-я])")
/** What no watch can wait for: its number is none of a price. */
export const unwatched = wordPattern(
  "rsi|macd|funding|open interest|oi|volume|volatil[a-z]*|iv|dominance|premium|basis|liquidations?|ratio|market cap|pnl|profit|" +
    "drawdown|gas|tvl|supply|fear|sentiment|yields?|spread|[es]ma|atr|adx",
  "rsi|macd|알에스아이|펀딩|펀비|미결제|거래량|거래대금|변동성|도미넌스|점유율|프리미엄|김프|베이시스|청산|시가총액|시총|손익|수익|공포|이평|이동평균",
  "rsi|macd|фандинг|открыт[а-я]+ интерес|объем|волатильност|доминац|преми|базис|ликвидац|капитализац|прибыл|убыт|просадк|спред|страх"
)
export const gap = wordPattern(
  "moves?|jumps?|gaps?|swings?",
  "급등|급락|움직|변동|갭",
  "сдвинется|скакнет|гэп|изменится|дернется"
)
export const every = wordPattern(
  "every ?(?:day|morning|evening|night|hour|\\d+ ?(?:h|hours?|m|min|minutes?)|[a-z]+ (?:minutes|hours))|daily|hourly|each (?:day|morning|hour)",
  "매일|매시간|마다|매 ?시|날마다|매주",
  "кажд[а-я]+|ежедневно|ежечасно"
)
export const hourly = wordPattern(
  "(?:every|each) hour(?! and)|hourly",
  "매시간|매 ?시 |(?<![두세네반] ?)시간마다",
  "каждый час|ежечасно"
)
export const allOf = wordPattern("all|everything|both|every", "전부|모두|모든|다|둘 ?다", "все|оба|обе")
export const anyOf = wordPattern(
  "all|everything|every|any|some",
  "전부|모두|모든|아무|어떤",
  "все|люб[а-я]+|какая-нибудь|како[йе]-нибудь"
)
export const fresh = wordPattern("new", "신규|새 ?로운?", "нов[а-я]+")

/** Words of a statement or a choice: what begins like a request may go on as one of these. */
export const stated = wordPattern(
  "is|was|are|were|isn't|has|had|does|did|will|or|your|yours|you|today only",
  "아니면|거나|당신|여러분|광고|합니다만",
  "или|либо|был[аои]?(?![а-я])|является|твой|твою|твои|ваш|вашу|ваши|на случай|реклам"
)

/** A condition that a watch waits for. */
export const condition = wordPattern(
  "when(?:ever)?|if|once|as soon as|the moment",
  "면|때|하는 순간",
  "если|когда|как только|при(?![а-я])"
)

/**
 * Words that leave in doubt whether anything is asked for at all, wherever they stand: refusals, second thoughts,
 * questions of what one should do, and reports of what others say.
 */
export const doubts: ReadonlyArray<RegExp> = [
  wordPattern(
    "[a-z]+n't|dont|doesnt|didnt|not|never|cannot|cant|stop short|instead of|rather than|no need|nvm|scratch that|forget (?:it|that)|cancel that|" +
      "just kidding|jk|no,|no\\.|wait|hold on|unless|until|later|tomorrow|someday|eventually|might|maybe|perhaps|possibly|probably|would|would've|" +
      "should|shouldn|could have|supposed?|imagine|pretend|hypothetical(?:ly)?|theoretically|in theory|assum(?:e|ing)|let's say|say i|what if|" +
      "if i|if we|if you were|i wish|for example|e\\.g|example|wonder(?:ing)?|thinking|considering|tempted|unsure|not sure|i guess|i think|do you think|" +
      "what do you think|wdyt|thoughts|your (?:opinion|view|take)|good idea|bad idea|wise|smart|better|worth it|makes? sense|pros and cons|advice|advise|" +
      "how (?:do|to|would|can|does)|why|what happens|explain|simulate|dry run|draft|show me how|roleplay|role play|joke|lol|story|" +
      "used to|last (?:week|month|year|time)|yesterday|already|previously",
    "지 ?마|지 ?말|말아|말고|지 ?않|안 ?(?:해|하|돼|되|닫|바꿔|할)|아니|취소할까|ㄴㄴ|할까|을까|ㄹ까|닫을까|둘까|걸까|뺄까|일까|좋을지|나을지|할지|을지|" +
      "어때|어떨|어떻게|어떡|왜|고민|모르겠|글쎄|생각(?:해|하|중|이)|싶|만약|만일|혹시|가정|예를 들|예시|나중|내일(?! )|다음에|아직|어제|지난|했었|" +
      "했는데|될까|맞을까|좋을까|나을까|괜찮|조언|의견|농담|시뮬|설명|려고|려는|려다|려면|볼까|하자고|는 게|는게|것 같|거 같",
    "не(?![а-я])|нет(?![а-я])|ни(?![а-я])|нельзя|никогда|незачем|отбой|забудь|подожди|погоди|стой(?![а-я])|пока(?![а-яж])|потом|позже|завтра|вчера|уже|раньше|" +
      "бы(?![а-я])|может(?![а-я])|наверное|возможно|вероятно|допустим|предположим|представь|например|к примеру|гипотетическ|теоретическ|" +
      "стоит(?![а-я])|стоило|ли(?![а-я])|думаешь|думаете|думаю|кажется|считаешь|сомнева|совет|посовету|мнени|хочу|хотел|надо(?![а-я])|нужно|следует|лучше|" +
      "смысл|имеет|разумно|зачем|почему|как (?:поставить|закрыть|мне|это|лучше)|что если|что будет|объясни|шут(?:ка|ю)|прошл[а-я]+|чтобы? было|пример"
  ),
  wordPattern(
    "say|says|said|tells|told|wrote|writes|written|tweet(?:s|ed)?|post(?:s|ed)?|recommends?|recommended|suggest(?:s|ed|ion)?|advises|claims?|claimed|" +
      "states|stated|reads|according to|quot(?:e|es|ed|ing)|forward(?:ed|ing)?|fwd|translate|paraphrase|rephrase|summari[sz]e (?:this|the following|that)|" +
      "the following (?:text|message|article|post|email)|below is|pasted?|copied|copy|this (?:article|message|tweet|text|post|email|prompt|headline|comment|thread)|" +
      "(?:he|she|they|someone|somebody|everyone|people|guy|friend|influencer|trader|boss|newsletter|headline|screenshot|image|picture|instructions?|prompt|jailbreak|ignore|override|system)",
    "라고(?! ?(?:메모|노트|적|써|쓰|기록|남|저장|일지))|라는|다고|(?<![줄실])래요?(?=[.\\s!?]|$)|라며|라면서|기사|트윗|에 따르면|친구|누가|누군가|유튜버|전달|인용|번역|" +
      "(?:이|위|아래|다음) ?(?:글|메시지|내용|문장|텍스트|뉴스)|복사|붙여|스크린샷|캡처|이미지|사진|시스템|지시|무시",
    "говор(?:ит|ят|ил)|сказал|сказан|пиш(?:ет|ут)|написал|написан|по словам|согласно|советует|рекоменду|утвержда|цитат|пересл|перевед|перескажи|" +
      "(?:этот|эту|это|следующ[а-я]+) (?:текст|стать|сообщени|пост|твит)|статья|статье|ниже (?:текст|сообщени|стать)|скопир|вставил|скриншот|картинк|" +
      "друг(?![а-я])|приятел|кто-то|аналитик|блогер|трейдер|инструкци|систем|игнорир"
  )
]
