import { rule } from "./rule.ts"

/** Matches questions about several instruments of the earlier questions. */
export const asksBoth = rule(
  "which|(?:is |the )?(?:higher|lower|cheaper|stronger|weaker|bigger|smaller)(?: one)?\\?*$|(?:what|whats|what's) (?:is )?(?:cheaper|higher|lower|better|stronger|bigger)|both|them|they|the two|by how much|(?:the )?difference(?: between)?|who(?:'?s| is)",
  "둘|(?:뭐|어디|누)가 (?:더|제일)|어느 (?:쪽|것|게|코인)|얼마나(?: 더)?\\??$|얼마나 차이|차이가|제일|가장",
  "кто|где|какая из|какой из|что (?:из|ближе|выше|ниже|больше|сильнее|слабее|дороже|дешевле)|кто из|у кого|какая (?:сильн|слаб|выше|ниже)|их|оба|обе|обоих|на сколько|насколько"
)

/** Matches follow-ups that compare the earlier instrument with another one: "compare with avax", "vs eth?". */
export const comparesWith =
  /^(?:and |ok |now )*(?:(?:is (?:it|that) )?(?:higher|lower|more|less|bigger|smaller|stronger|weaker|cheaper) than|compared? (?:it |that |this )?(?:with|w|to|vs|against)|vs\.?|versus|against)(?![a-z])|^[^ ]+(?:이?랑|와|과|하고|보다)(?:는)? (?:비교|어때|뭐가)|^(?:а |и )?(?:сравни(?:те)? (?:его |ее |это )?(?:с|со)|против)(?![а-я])/u

/** Matches questions that only ask for the reasons of the previous answer. */
export const asksReason =
  /^(?:and |but |so |ok )*(?:why(?: (?:so|is that|not|that|though))?|how come|are you sure|really|왜(?:요|지|죠)?(?: 그래(?:요)?| 그런데| 그렇게)?|이유(?:는|가 뭐야|가)?|진짜(?:야)?|확실해(?:요)?|почему(?: (?:так(?:ой|ая|ое|ие)?|это|он[аои]?))?|зачем|с чего(?: бы)?|точно|ты уверен|what (?:would|could|will) change (?:your|the|this|that)(?: mind| view)?|when are you wrong|(?:뭐가|언제) (?:판단이 )?바뀌[^ ]*|что (?:изменит|поменяет)[^?]*)[?!. ]*$/u

/** Matches follow-ups that consist of a time frame: "daily", "on the 4h". */
export const isBareFrame = (words: string): boolean =>
  /^(?:and |now |ok |теперь |а |이제 )*(?:on |in |the |на |switch to )*(?:daily|hourly|weekly|1d|4h|1h|15m|4 ?hour|4시간봉|1시간봉|15분봉|일봉|дневн[а-я]*|часов[а-я]*|4ч|1ч|15м)(?: chart| one|으로|로|은|는)?[?!. ]*$/u
    .test(words)

/** Matches words for alerts and schedules. */
export const ofAlerts = rule(
  "alerts?|watch(?:es)?|notif\\w*|remind\\w*|schedule\\w*|tasks?|tell me (?:when|if)|every (?:day|morning|hour|week|\\d+)",
  "알려|알림|알람|감시|예약|작업|마다|매일",
  "алерт|оповещ|уведом|напомн|сообщи|задач|расписани|кажд"
)

/** Matches references to the instrument that a comparison named first: "chart that one". */
export const thatOne = rule("(?:that|this) one", "그거|그 (?:코인|종목)", "(?:ее|его|эту|этот)$")

const ordinals: ReadonlyArray<RegExp> = [
  rule("first|1st", "첫|1번째", "перв"),
  rule("second|2nd", "두 ?번째|2번째", "втор"),
  rule("third|3rd", "세 ?번째|3번째", "трет")
]

/** Returns the index that an ordinal number names: 1 for "the second one"; null without an ordinal number. */
export const ordinalIn = (words: string): number | null => {
  const at = ordinals.findIndex((ordinal) => ordinal.test(words))
  return at < 0 ? null : at
}

/** Matches follow-ups that request another alert: "also one for eth at 3400", "another at 68k". */
export const anotherAlert =
  /^(?:(?:and|also|plus|ok|do|add|create|make|set) )*(?:(?:one|another|same|the same)(?: one| alert)?(?: (?:for|on|at))?|also (?:for|on|at)) |^(?=[가-힣a-z]{1,6}(?:도|는) \d[\d.,]*(?:만|천|억|k|원|달러|불)*(?: ?\d+천)?[.! ]*$)|^(?:and|also|plus) (?=[a-z]{2,10} \$?[\d.,]+ ?[k%]?$)|^(?:и |еще |также )+(?:(?:один|одну|такой же|такое же) )?(?:на |по |для )?(?=[^?]*\d)/u

/** Matches requests to remove a record. */
export const removesRecord =
  /(?:^|[^\p{L}])(?:delete|remove|cancel|turn off|unset|scrap|undo)(?![a-z])|(?:^|(?:please|and|now|ok|can you|just|then|to) )(?:drop|kill|stop)(?![a-z]|[ -]loss)|취소|삭제|지워|지우|꺼 ?줘|없애|해제|(?:^|[^а-я])(?:удали|убери|отмени|сними|выключи|останови|сотри)/u
/** Matches follow-ups that change a number: "make it 115". */
export const changesRecord =
  /^(?:no |actually |ok |hmm |sorry |rather )*\$?\d[\d.,]*k?[.!]?$|^(?:no |actually |ok |hmm |sorry )*(?:make (?:it|that)|change (?:it |that )?to|set (?:it )?(?:to|at)|rather|instead)|^(?:아니|아냐|그냥)|(?:으로|로)(?: (?:해|바꿔|변경|수정).*)?$|^(?:нет )?(?:сделай|поменяй|измени|поставь|лучше|давай)/u

/** The maximum number of instruments that "them" refers to. */
const maxSeveral = 5
/** The maximum number of earlier questions that "them" refers to. */
const maxQuestions = 4

/**
 * Returns the instruments that "both" or "which one" refers to: those of the last question that named several, or those
 * of the last questions that named one each. Returns null if fewer than two were named.
 */
export const pairOf = (spoken: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> | null => {
  const last = spoken.at(-1) ?? []
  if (last.length > 1) return last.slice(0, maxSeveral)
  const since = spoken.findLastIndex((coins) => coins.length > 1) + 1
  const recent = [...new Set(spoken.slice(Math.max(since, spoken.length - maxQuestions)).flat())]
  return recent.length > 1 ? recent.slice(-maxSeveral) : null
}
