import type { Schema } from "effect"
import type { Language } from "../../engine/messages/languageCode.ts"

type Translations = Readonly<Record<Language, string>>

const translate = (en: string, ko: string, ru: string): Translations => ({ en, ko, ru })

const toolDescriptions: Readonly<Record<string, Translations>> = {
  set_position: translate("Record a new position", "새 포지션 기록", "Записать новую позицию"),
  update_position: translate("Change a position", "포지션 수정", "Изменить позицию"),
  close_position: translate("Close part of a position", "포지션 일부 종료", "Закрыть часть позиции"),
  delete_position: translate("Delete a position", "포지션 삭제", "Удалить позицию"),
  add_journal_note: translate("Add a note to the journal", "매매 일지에 메모 추가", "Добавить заметку в журнал"),
  set_risk_profile: translate("Change the risk profile", "리스크 프로필 수정", "Изменить профиль риска"),
  update_watchlist: translate("Change the watchlist", "관심 종목 수정", "Изменить избранное"),
  create_task: translate("Create a task", "작업 만들기", "Создать задачу"),
  update_task: translate("Change a task", "작업 수정", "Изменить задачу"),
  delete_task: translate("Delete a task", "작업 삭제", "Удалить задачу"),
  mark_notifications_read: translate(
    "Mark notifications as read",
    "알림 읽음 처리",
    "Отметить уведомления прочитанными"
  )
}

/**
 * Descriptions of calls that omit an optional argument. For example, `close_position` without `fraction` closes the
 * whole position.
 */
const descriptionsWithoutArgument: Readonly<Record<string, Translations & { readonly absentArgument: string }>> = {
  close_position: {
    absentArgument: "fraction",
    ...translate("Close a whole position", "포지션 전체 종료", "Закрыть позицию целиком")
  },
  mark_notifications_read: {
    absentArgument: "ids",
    ...translate("Mark all notifications as read", "모든 알림 읽음 처리", "Отметить все уведомления прочитанными")
  }
}

const fieldNames: Readonly<Record<string, Translations>> = {
  id: translate("number", "번호", "номер"),
  ids: translate("numbers", "번호", "номера"),
  coin: translate("coin", "코인", "монета"),
  side: translate("side", "방향", "направление"),
  entry: translate("entry", "진입가", "вход"),
  stop: translate("stop", "손절가", "стоп"),
  takes: translate("targets", "목표가", "цели"),
  leverage: translate("leverage", "레버리지", "плечо"),
  size_usd: translate("size in USD", "규모(USD)", "размер в USD"),
  exit: translate("exit price", "종료가", "цена выхода"),
  fraction: translate("share of the open size", "남은 규모 중 비율", "доля открытого размера"),
  fees_usd: translate("fees in USD", "수수료(USD)", "комиссии в USD"),
  notes: translate("notes", "메모", "заметки"),
  text: translate("text", "내용", "текст"),
  trade_id: translate("trade", "매매 번호", "сделка"),
  account_usd: translate("account size in USD", "계좌 규모(USD)", "размер счёта в USD"),
  risk_pct: translate("risk per trade in %", "매매당 리스크(%)", "риск на сделку в %"),
  max_leverage: translate("maximum leverage", "최대 레버리지", "максимальное плечо"),
  max_open_risk_pct: translate(
    "maximum open risk in %",
    "보유 포지션 최대 리스크(%)",
    "максимальный открытый риск в %"
  ),
  add: translate("coins to add", "추가할 코인", "добавить монеты"),
  remove: translate("coins to remove", "제거할 코인", "убрать монеты"),
  title: translate("title", "제목", "название"),
  kind: translate("type", "유형", "тип"),
  spec: translate("trigger", "발동 조건", "условие запуска"),
  prompt: translate("question for the analyst", "애널리스트에게 할 질문", "вопрос аналитику"),
  max_runs: translate("maximum runs", "최대 실행 횟수", "максимум запусков"),
  status: translate("status", "상태", "статус"),
  metric: translate("metric", "지표", "метрика"),
  symbol: translate("symbol", "종목", "инструмент"),
  market: translate("market", "시장", "рынок"),
  op: translate("comparison", "비교", "сравнение"),
  value: translate("value", "값", "значение"),
  dir: translate("direction", "방향", "направление"),
  at: translate("time of day", "시각", "время суток"),
  tz_offset_hours: translate("UTC offset in hours", "UTC 시차(시간)", "смещение от UTC в часах"),
  every_min: translate("interval in minutes", "간격(분)", "интервал в минутах"),
  next_at: translate("next run", "다음 실행", "следующий запуск"),
  coins: translate("watchlist", "관심 종목", "избранное"),
  marked: translate("marked as read", "읽음 처리한 수", "отмечено прочитанными")
}

const none = translate("none", "없음", "нет")

const isObject = (value: Schema.Json): value is { readonly [key: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const lookUp = (table: Readonly<Record<string, Translations>>, name: string, lang: Language): string | null =>
  Object.hasOwn(table, name) ? table[name]![lang] : null

const describeTool = (tool: string, args: Schema.Json, lang: Language): string | null => {
  const unrestricted = Object.hasOwn(descriptionsWithoutArgument, tool) ? descriptionsWithoutArgument[tool] : undefined
  const restriction = unrestricted !== undefined && isObject(args) ? args[unrestricted.absentArgument] ?? null : null
  return unrestricted === undefined || restriction !== null && restriction !== 1
    ? lookUp(toolDescriptions, tool, lang)
    : unrestricted[lang]
}

const formatCode = (text: string): string => `\`${text}\``

const formatValue = (value: Schema.Json, lang: Language): string => {
  if (typeof value === "string") return formatCode(/^[\w.:+*-]+$/.test(value) ? value : JSON.stringify(value))
  if (value === null || (Array.isArray(value) && value.length === 0)) return none[lang]
  if (Array.isArray(value)) {
    return value.map((item: Schema.Json) => formatValue(item, lang)).join(", ")
  }
  if (isObject(value) && Object.keys(value).length > 0) return `(${formatFields(value, lang)})`
  return formatCode(JSON.stringify(value))
}

const formatFields = (args: { readonly [key: string]: Schema.Json }, lang: Language): string =>
  Object.entries(args).map(([name, value]) =>
    `${lookUp(fieldNames, name, lang) ?? formatCode(JSON.stringify(name))} ${formatValue(value, lang)}`
  ).join(", ")

/** Describes a tool call in a language, with argument values formatted as code, so that no value is read as markup. */
export const describeCall = (tool: string, args: Schema.Json, lang: Language): string => {
  const description = describeTool(tool, args, lang) ?? formatCode(tool)
  if (!isObject(args)) return `${description}: ${formatValue(args, lang)}`
  return Object.keys(args).length === 0 ? description : `${description}: ${formatFields(args, lang)}`
}
