import type { Schema } from "effect"
import type { Language } from "../../engine/messages/languageCode.ts"

type Words = Readonly<Record<Language, string>>

const words = (en: string, ko: string, ru: string): Words => ({ en, ko, ru })

/** A description of each tool that writes. */
const tools: Readonly<Record<string, Words>> = {
  set_position: words("Record a new position", "새 포지션 기록", "Записать новую позицию"),
  update_position: words("Change a position", "포지션 변경", "Изменить позицию"),
  close_position: words("Close a part of a position", "포지션 일부 청산", "Закрыть часть позиции"),
  delete_position: words("Delete a position", "포지션 삭제", "Удалить позицию"),
  add_journal_note: words("Add a note to the journal", "매매일지에 메모 추가", "Добавить заметку в журнал"),
  set_risk_profile: words("Change the risk profile", "리스크 프로필 변경", "Изменить профиль риска"),
  update_watchlist: words("Change the watchlist", "관심 목록 변경", "Изменить список наблюдения"),
  create_task: words("Create a task", "작업 만들기", "Создать задачу"),
  update_task: words("Change a task", "작업 변경", "Изменить задачу"),
  delete_task: words("Delete a task", "작업 삭제", "Удалить задачу"),
  mark_notifications_read: words("Mark notifications as read", "알림 읽음 처리", "Отметить уведомления прочитанными")
}

/** Descriptions for calls without one of the arguments, which then apply to everything. */
const whole: Readonly<Record<string, Words & { readonly without: string }>> = {
  close_position: {
    without: "fraction",
    ...words("Close all of a position", "포지션 전부 청산", "Закрыть позицию целиком")
  },
  mark_notifications_read: {
    without: "ids",
    ...words("Mark all notifications as read", "모든 알림 읽음 처리", "Отметить все уведомления прочитанными")
  }
}

const fields: Readonly<Record<string, Words>> = {
  id: words("number", "번호", "номер"),
  ids: words("numbers", "번호", "номера"),
  coin: words("coin", "코인", "монета"),
  side: words("side", "방향", "сторона"),
  entry: words("entry", "진입가", "вход"),
  stop: words("stop", "손절가", "стоп"),
  takes: words("targets", "목표가", "цели"),
  leverage: words("leverage", "레버리지", "плечо"),
  size_usd: words("size in USD", "규모(USD)", "размер в USD"),
  exit: words("exit price", "청산 가격", "цена выхода"),
  fraction: words("fraction of what is open", "남은 수량 중 비율", "доля открытого"),
  fees_usd: words("fees in USD", "수수료(USD)", "комиссии в USD"),
  notes: words("notes", "메모", "заметки"),
  text: words("text", "내용", "текст"),
  trade_id: words("trade", "거래 번호", "сделка"),
  account_usd: words("account in USD", "계좌(USD)", "счёт в USD"),
  risk_pct: words("risk per trade in %", "거래당 리스크(%)", "риск на сделку в %"),
  max_leverage: words("highest leverage", "최대 레버리지", "наибольшее плечо"),
  max_open_risk_pct: words("highest open risk in %", "최대 열린 리스크(%)", "наибольший открытый риск в %"),
  add: words("to be added", "추가", "добавить"),
  remove: words("to be removed", "제거", "убрать"),
  title: words("title", "제목", "название"),
  kind: words("kind", "종류", "вид"),
  spec: words("condition", "조건", "условие"),
  prompt: words("question to be asked", "물어볼 질문", "вопрос"),
  max_runs: words("most runs", "최대 실행 횟수", "наибольшее число запусков"),
  status: words("status", "상태", "состояние"),
  metric: words("metric", "지표", "метрика"),
  symbol: words("symbol", "종목", "инструмент"),
  market: words("market", "시장", "рынок"),
  op: words("comparison", "비교", "сравнение"),
  value: words("value", "값", "значение"),
  dir: words("direction", "방향", "направление"),
  at: words("time", "시각", "время"),
  tz_offset_hours: words("hours from UTC", "UTC 시차(시간)", "часов от UTC"),
  every_min: words("every so many minutes", "간격(분)", "каждые столько минут"),
  next_at: words("next run", "다음 실행", "следующий запуск"),
  coins: words("whole list", "전체 목록", "весь список"),
  marked: words("marked", "처리한 수", "отмечено")
}

const nothing = words("none", "없음", "нет")

const isObject = (value: Schema.Json): value is { readonly [key: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const own = (table: Readonly<Record<string, Words>>, name: string, lang: Language): string | null =>
  Object.hasOwn(table, name) ? table[name]![lang] : null

const doesOf = (tool: string, args: Schema.Json, lang: Language): string | null => {
  const all = Object.hasOwn(whole, tool) ? whole[tool] : undefined
  const given = all !== undefined && isObject(args) ? args[all.without] ?? null : null
  return all === undefined || given !== null && given !== 1 ? own(tools, tool, lang) : all[lang]
}

const code = (text: string): string => `\`${text}\``

const plainValue = (value: Schema.Json, lang: Language): string => {
  if (typeof value === "string") return code(/^[\w.:+*-]+$/.test(value) ? value : JSON.stringify(value))
  if (value === null || (Array.isArray(value) && value.length === 0)) return nothing[lang]
  if (Array.isArray(value)) {
    return value.map((one: Schema.Json) => plainValue(one, lang)).join(", ")
  }
  if (isObject(value) && Object.keys(value).length > 0) return `(${plainFields(value, lang)})`
  return code(JSON.stringify(value))
}

const plainFields = (args: { readonly [key: string]: Schema.Json }, lang: Language): string =>
  Object.entries(args).map(([name, value]) =>
    `${own(fields, name, lang) ?? code(JSON.stringify(name))} ${plainValue(value, lang)}`
  ).join(", ")

/**
 * Describes a call in a language: the effect of the tool, and each argument with its exact value. Argument values are
 * formatted as code, so that nothing in them is read as markup.
 */
export const plainWords = (tool: string, args: Schema.Json, lang: Language): string => {
  const does = doesOf(tool, args, lang) ?? code(tool)
  if (!isObject(args)) return `${does}: ${plainValue(args, lang)}`
  return Object.keys(args).length === 0 ? does : `${does}: ${plainFields(args, lang)}`
}
