import { clockTimesIn, contradictoryTimesIn } from "@tapeline/core/agent"
import { rule } from "./rule.ts"

/** Matches words for a time of day without a known hour. */
const vague = rule(
  "(?:at|before|after|by|around|during) (?:the )?(?:us |market |trading )?(?:open|opening|close|closing|bell|" +
    "dawn|dusk|sunrise|sunset|daybreak)|early (?:every )?mornings?|" +
    "(?:every|each) (?:early|late) (?:morning|afternoon|evening|night)|late (?:at night|in the evening)|\\d+ ?o'?clock",
  "\\d+ ?시(?=에|마다|쯤|경|반|\\d|[\\s,.!?]|$)|(?:스물|[일이삼사오육칠팔구십])[가-힣]{0,2} ?시(?=에|마다|쯤|경)|점심|(?:대|한)?낮(?=에|마다|[\\s,.!?]|$)|" +
    "새벽|한밤|심야|야간|동틀|동트|해 ?[뜰질]|출근|퇴근|등교|하교|기상|일어나|자기 전|잠들기|식사|식후|" +
    "(?:이른|늦은) (?:아침|오전|오후|저녁|밤)|장 ?(?:시작|마감|개장|종료|전|후)|개장|폐장",
  "на рассвете|на закате|(?:на|до|после|перед) (?:открыти|закрыти)[а-я]*|" +
    "рано утром|поздно вечером|поздно ночью"
)
/** Matches times of a person's day, which never belong to the subject of a schedule. */
const personal = rule(
  "(?:at|before|after|by|around|during) (?:the )?(?:lunch|lunchtime|breakfast|dinner|bed|bedtime|work|school)",
  "점심 ?(?:시간|때|먹)|점심 ?식?사?(?:에|마다| ?전| ?후)|(?:출근|퇴근|등교|하교|기상|식사) ?(?:전|후|하기|하고|시간|할 때)|" +
    "일어나|자기 전|잠들기|식후",
  "в обед|(?:до|после|перед) (?:обед|работ|сн)[а-я]*"
)
const parts = rule(
  "mornings?|afternoons?|evenings?|nights?|tonight",
  "아침|오전|오후|저녁|밤",
  "утр[а-я]*|вечер[а-я]*|ноч[а-я]*|дня"
)
/** Matches two parts of the day, because a task has only one time. */
const twoParts = rule(
  "(?:morning|noon|afternoon|evening|night)s?(?: and| or| &|,)+ (?:every |each |in the |at )?(?:noon|afternoon|evening|night|morning)s?",
  "(?:아침|점심|저녁|밤|오전|오후|새벽)(?:과|와|이랑|랑|하고|,)? ?(?:아침|점심|저녁|밤|오전|오후|새벽)",
  "(?:утром|днем|вечером|ночью|утро|вечер) и (?:днем|вечером|ночью|утром|вечер|утро|ночь)"
)
/** Matches words after a time that shift or extend the time, or add a second time. */
const changed =
  /^ (?:and|or|и) (?:again )?(?:at |in the |every )?(?:noon|midnight|morning|afternoon|evening|night|утром|днем|вечером|ночью)(?![a-z])|^(?: ?\d{1,3} ?분(?!봉)| ?[일이삼사오육칠팔구십]+ ?분)?(?: ?(?:전|후|이전|이후)(?:에|까지|부터)| ?(?:까지|부터))|^ ?\d{1,3} ?분(?!봉)/u

/** Returns whether words such as "점심시간" or "25시" only set a time. */
export const isOnlyTime = (words: string): boolean => personal.test(words) || /(?<!장 ?)시(?!작)/u.test(words)

/** Returns words for a time of day that has no known hour, such as "after lunch", "점심시간" or "오전 21시", or null. */
export const unreadTimeIn = (message: string): string | null => {
  const times = clockTimesIn(message)
  const own = times.filter(({ isContent }) => !isContent)
  const [contradiction] = contradictoryTimesIn(message)
  if (contradiction !== undefined) return message.slice(contradiction.at, contradiction.end)
  const both = twoParts.exec(message)
  if (both !== null && (own[0] === undefined || both.index < own[0].end)) return both[0].trim()
  const hasPart = parts.test(message)
  for (const { at, end, isContent } of times) {
    const words = changed.exec(message.slice(end))?.[0]
    if (words !== undefined && !(isContent && (hasPart || own.length > 0))) return message.slice(at, end) + words
  }
  if (own.length > 0) return null
  const letters = message.split("")
  for (const { at, end } of times) letters.fill(" ", at, end)
  const rest = letters.join("")
  const unread = personal.exec(rest)?.[0].trim() ?? vague.exec(rest)?.[0].trim() ?? null
  // In "매일 아침 장 마감 시황", the part of the day sets the time, and the other words belong to the subject.
  const isTime = !hasPart || unread === null || isOnlyTime(unread) ||
    /^(?:early|late|이른|늦은|рано|поздно|한밤)/u.test(unread)
  return isTime ? unread : null
}
