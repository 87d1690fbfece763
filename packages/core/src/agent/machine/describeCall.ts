import type { Schema } from "effect"
import type { Language } from "../../engine/messages/languageCode.ts"

type Translations = Readonly<Record<Language, string>>

const translate = (en: string, ko: string, ru: string): Translations => ({ en, ko, ru })

const toolDescriptions: Readonly<Record<string, Translations>> = {
  set_position: translate("Record a new position", "새 포지션 기록", "Записать новую позицию"),
  update_position: translate("Change a position", "포지션 변경", "Изменить позицию"),
  close_position: translate("Close a part of a position", "포지션 일부 청산", "Закрыть часть позиции"),
  delete_position: translate("Delete a position", "포지션 삭제", "Удалить позицию"),
  add_journal_note: translate("Add a note to the journal", "매매일지에 메모 추가", "Добавить заметку в журнал"),
  set_risk_profile: translate("Change the risk profile", "리스크 프로필 변경", "Изменить профиль риска"),
  update_watchlist: translate("Change the watchlist", "관심 목록 변경", "Изменить список наблюдения"),
  create_task: translate("Create a task", "작업 만들기", "Создать задачу"),
  update_task: translate("Change a task", "작업 변경", "Изменить задачу"),
  delete_task: translate("Delete a task", "작업 삭제", "Удалить задачу"),
  mark_notifications_read: translate(
    "Mark notifications as read",
    "알림 읽음 처리",
    "Отметить уведомления прочитанными"
  )
}

/** Descriptions of calls that omit an optional argument and therefore apply to everything. */
const descriptionsWithoutArgument: Readonly<Record<string, Translations & { readonly absentArgument: string }>> = {
  close_position: {
    absentArgument: "fraction",
    ...translate("Close all of a position", "포지션 전부 청산", "Закрыть позицию целиком")
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
  side: translate("side", "방향", "сторона"),
  entry: translate("entry", "진입가", "вход"),
  stop: translate("stop", "손절가", "стоп"),
  takes: translate("targets", "목표가", "цели"),
  leverage: translate("leverage", "레버리지", "плечо"),
  size_usd: translate("size in USD", "규모(USD)", "размер в USD"),
  exit: translate("exit price", "청산 가격", "цена выхода"),
  fraction: translate("fraction of what is open", "남은 수량 중 비율", "доля открытого"),
  fees_usd: translate("fees in USD", "수수료(USD)", "комиссии в USD"),
  notes: translate("notes", "메모", "заметки"),
  text: translate("text", "내용", "текст"),
  trade_id: translate("trade", "거래 번호", "сделка"),
  account_usd: translate("account in USD", "계좌(USD)", "счёт в USD"),
  risk_pct: translate("risk per trade in %", "거래당 리스크(%)", "риск на сделку в %"),
  max_leverage: translate("highest leverage", "최대 레버리지", "наибольшее плечо"),
  max_open_risk_pct: translate("highest open risk in %", "최대 열린 리스크(%)", "наибольший открытый риск в %"),
  add: translate("to be added", "추가", "добавить"),
  remove: translate("to be removed", "제거", "убрать"),
  title: translate("title", "제목", "название"),
  kind: translate("kind", "종류", "вид"),
  spec: translate("condition", "조건", "условие"),
  prompt: translate("question to be asked", "물어볼 질문", "вопрос"),
  max_runs: translate("most runs", "최대 실행 횟수", "наибольшее число запусков"),
  status: translate("status", "상태", "состояние"),
  metric: translate("metric", "지표", "метрика"),
  symbol: translate("symbol", "종목", "инструмент"),
  market: translate("market", "시장", "рынок"),
  op: translate("comparison", "비교", "сравнение"),
  value: translate("value", "값", "значение"),
  dir: translate("direction", "방향", "направление"),
  at: translate("time", "시각", "время"),
  tz_offset_hours: translate("hours from UTC", "UTC 시차(시간)", "часов от UTC"),
  every_min: translate("every so many minutes", "간격(분)", "каждые столько минут"),
  next_at: translate("next run", "다음 실행", "следующий запуск"),
  coins: translate("whole list", "전체 목록", "весь список"),
  marked: translate("marked", "처리한 수", "отмечено")
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

/**
 * Describes a call in a language: the effect of the tool, and each argument with its exact value. Argument values are
 * formatted as code, so that no value is interpreted as markup.
 */
export const describeCall = (tool: string, args: Schema.Json, lang: Language): string => {
  const description = describeTool(tool, args, lang) ?? formatCode(tool)
  if (!isObject(args)) return `${description}: ${formatValue(args, lang)}`
  return Object.keys(args).length === 0 ? description : `${description}: ${formatFields(args, lang)}`
}
