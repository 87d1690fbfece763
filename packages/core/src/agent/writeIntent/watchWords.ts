import { wordPattern } from "../../engine/text/wordPattern.ts"
import { findMentionSpans } from "../../market/instrumentMentions.ts"
import { isMadeOf } from "./plainTalk.ts"
import { quantitiesIn } from "./quantities.ts"
import { masked } from "./readable.ts"
import * as say from "./vocabulary.ts"

/* All that a watch's words may be beside its instrument and number. A measure that is not here cannot be watched. */

const set = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))

const plain = set(
  "a an the this that 's i me my us you it its is are of in on at to from by for as with and then also too so just only " +
    "please pls plz kindly thanks thank thx ty hey hi hello ok okay yes can could will would like want need when if once " +
    "soon moment whenever know let alert alerts alerting notify notification ping warn remind message text tell send give " +
    "get set create make add another new schedule watch monitor up down here now right away immediately asap app " +
    "price prices trade trades trading coin token stock stocks share shares market spot value level mark line above " +
    "usd usdt dollar dollars bucks krw won k again back " +
    "go goes going gets get come comes rise rises rising rallies climbs climb climbing fall falls falling drop drops dropping " +
    "dips dip sinks slips slides moves move jumps jump breaks break crosses cross hits hit reaches reach touches touch " +
    "becomes be been has through out higher lower than under over tapeline analyst bot good morning evening " +
    "у на по в во с со к ко о об от до за для и а но же то это мой мою моя мне меня я пожалуйста пожалуста плиз спасибо привет " +
    "здравствуйте здравствуй добрый день если когда как только раз можешь можете прошу ты вы сразу сейчас теперь снова " +
    "сообщи сообщите сообщать уведоми уведомите уведомить уведомляй предупреди предупредите напомни напомните оповести оповестите " +
    "разбуди разбудите звякни свистни дай дайте знать пингани скажи скажите маякни напиши напишите следи поставь поставьте поставить создай создайте " +
    "создать сделай сделайте добавь добавьте установи установите включи " +
    "цена цену цене цены курс курса курсу рынок рынке монета монеты монету акция акции акций отметка отметки отметку уровень уровня уровню " +
    "долларов доллара доллар баксов вон рублей станет стоит стоить будет дойдет пойдет упадет вырастет поднимется опустится вниз вверх " +
    "тыс тысяч млн он она оно они"
)
const ofHour = set(
  "within during hour hours minutes minute one less more any coin coins either way or all some по любой часа час часе часов минут минуты за течение или более растет вырастет падает упадет"
)

const korean = set(
  "은 는 이 가 을 를 의 에 에서 로 으로 도 만 까지 쯤 정도 이고 고 며 서 면 으면 으 니 다 요 해 하 한 할 되 된 돼 줘 주 줄 주세 세 시 " +
    "십시오 주십시오 실 실래 래 있 습니다 습니까 어 아 나 ㅎ ㅋ ㅠ 네 예 넵 부탁 드려 드립니다 합니다 좀 지금 바로 즉시 저 내 제 거 것 나에게 저에게 한테 때 " +
    "달러 불 원 안녕 하세 감사 고마 워 당 알려 알림 알람 알리 경보 보내 울려 통지 설정 추가 등록 만들 생성 걸어 걸 예약 경고 깨워 가격 코인 값 현재 기준 시세 주가 주식 " +
    "감시 선 대 지면 오면 가면 되면 하면 보다"
)
const koreanOfHour = set("시간 분 안에 이내 내에 동안 사이 코인 아무 어떤 모든 이상 한")
/** Whole words of Korean, too short to be parts of others. */
const koreanWhole = set("수 더 그 또")

const things = (...patterns: ReadonlyArray<RegExp>): ReadonlyArray<RegExp> =>
  patterns.map(({ source }) => new RegExp(`(?:${source})[а-я]*`, "giu"))

const common = things(
  say.nouns.task,
  say.nouns.notifications,
  say.nouns.at,
  say.above,
  say.below,
  say.reaches,
  say.condition
)
const ofMetric: Readonly<Record<Metric, ReadonlyArray<RegExp>>> = {
  price: common,
  score: [...things(say.score), ...common],
  vwap_cross: [...things(say.vwap, wordPattern("cross(?:es)?", "교차", "пересеч")), ...common],
  gap: [...things(say.gap, say.anyOf), ...common]
}

/** What can be watched. */
export type Metric = "price" | "score" | "vwap_cross" | "gap"

const rest = (text: string, metric: Metric): string => {
  const letters = text.replaceAll(masked, " ").split("")
  for (const { at: start, end } of [...quantitiesIn(text), ...findMentionSpans(text)]) {
    letters.fill(" ", start, end)
    for (let i = end; /[а-я]/iu.test(letters[i] ?? ""); i++) letters[i] = " "
  }
  return ofMetric[metric].reduce(
    (left, pattern) => left.replace(pattern, (found) => " ".repeat(found.length)),
    letters.join("")
  )
}

const koreanAndHour: ReadonlySet<string> = new Set([...korean, ...koreanOfHour])

/**
 * The words of `text` that say more of a condition than that `metric` is to pass a level: another measure, another
 * market, a second condition.
 */
export const straysInWatch = (text: string, metric: Metric): ReadonlyArray<string> => {
  const isHour = metric === "gap"
  return (rest(text, metric).toLowerCase().match(/[\p{L}\p{M}'-]+/gu) ?? []).filter((word) =>
    !plain.has(word) && !(isHour && ofHour.has(word)) && !koreanWhole.has(word) &&
    !isMadeOf(word, isHour ? koreanAndHour : korean)
  )
}
