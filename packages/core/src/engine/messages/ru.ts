import { accountMessages } from "./accountMessages.ts"
import type { Dictionary } from "./dictionary.ts"
import { keyLimitMessages } from "./keyLimits.ts"
import { webhookMessages } from "./webhooks.ts"

const plurals = new Intl.PluralRules("ru")

/** Formats a count with the matching Russian plural form: 1 кредит, 2 кредита, 5 кредитов. */
const counted = (count: number, one: string, few: string, many: string): string => {
  const form = plurals.select(count)
  return `${count} ${form === "one" ? one : form === "few" ? few : many}`
}

const credits = (count: number) => counted(count, "кредит", "кредита", "кредитов")

export const ru: Dictionary = {
  ...keyLimitMessages.ru,
  ...webhookMessages.ru,
  user_id_not_accepted: "Аккаунт определяется ключом API; уберите поле `user_id` из тела запроса.",
  invalid_body: "Тело запроса должно быть одним объектом JSON, например {\"coin\": \"BTC\"}.",
  invalid_json: "Тело запроса — не JSON; пришлите один объект JSON, например {\"coin\": \"BTC\"}.",
  repeated_name: (p) => `Поле \`${p.name}\` указано в одном объекте дважды; пришлите его один раз.`,
  invalid_arguments: (p) =>
    `${counted(p.count, "аргумент неверен", "аргумента неверны", "аргументов неверны")}; смотрите \`issues\`.`,
  idempotency_key_reused: "Этот Idempotency-Key уже использован для другого запроса; пришлите новый ключ.",
  invalid_idempotency_key: "Idempotency-Key — от 1 до 128 печатных символов ASCII.",
  invalid_key:
    "Ключ API не указан, искажён, просрочен или отозван. Пришлите `Authorization: Bearer <key>` с действующим ключом.",
  over_limit: (p) =>
    `Вызов стоит ${credits(p.price)}, а в этом месяце осталось ${
      credits(p.left)
    }. Выберите тариф выше или дождитесь обновления.`,
  scope_required: (p) => `У этого ключа нет права \`${p.scope}\`.`,
  unknown_tool: (p) =>
    p.nearest === null
      ? `Инструмента \`${p.tool}\` нет; список даёт GET /v1/tools.`
      : `Инструмента \`${p.tool}\` нет; может быть, \`${p.nearest}\`? Список даёт GET /v1/tools.`,
  not_found: "По этому адресу ничего нет. Проверьте путь и все id в нём.",
  conversation_not_found: (p) => `Диалога ${p.id} нет.`,
  generation_running: "В этом диалоге ещё готовится ответ; продолжите его чтение или сначала остановите.",
  conversation_went_on: (p) =>
    `Диалог уже не заканчивается сообщением ${p.shown}; прочитайте его заново и ответьте на последнее сообщение.`,
  daily_quota_reached: (p) =>
    `Ответы на сегодня исчерпаны: тариф даёт ${counted(p.quota, "ответ", "ответа", "ответов")} в сутки (UTC). ` +
    "Вернитесь завтра или выберите тариф выше.",
  status_thinking: "Думаю",
  status_calling_tools: "Смотрю данные",
  status_answering: "Пишу ответ",
  status_retrying: "Пробую ещё раз",
  answer_model_unavailable: "Модель сейчас недоступна; спросите чуть позже.",
  answer_model_refused: "Модель отклонила запрос; обратитесь к оператору.",
  answer_context_exceeded: "Этот диалог слишком длинный для модели; начните новый.",
  answer_no_answer: "Модель не дала ответа; повторите вопрос или задайте более узкий.",
  answer_filtered: "Поставщик модели не пропустил ответ.",
  answer_account_suspended: "Во время ответа аккаунт был приостановлен или закрыт.",
  answer_stopped_by_operator: "Оператор сервиса остановил этот ответ.",
  answer_broken: "Во время ответа произошла ошибка на нашей стороне.",
  nothing_charged: "Ничего не списано.",
  answer_arguments_no_json: "Аргументы не являются корректным JSON; вызовите снова с одним объектом JSON.",
  answer_no_such_tool: (p) =>
    `Инструмента \`${p.tool}\` нет${p.nearest === null ? "." : `; может быть, \`${p.nearest}\`?`}`,
  answer_write_not_allowed:
    "В этом ответе нельзя ни менять записи, ни предлагать изменения. Ничего не записано; опишите изменение пользователю.",
  answer_propose_faults: (p) =>
    `\`${p.tool}\` не примет такие аргументы: ${p.faults}. Ничего не предложено; исправьте и вызовите снова.`,
  answer_propose_hidden: (p) =>
    `Пользователь не смог бы прочесть весь вызов: не больше ${p.limit} знаков в JSON, без обратных кавычек и невидимых знаков. ` +
    "Ничего не предложено.",
  answer_propose_twice: "Точно такой же вызов в этом ответе уже предложен. Повторно он не предложен.",
  answer_propose_too_many: (p) => `В одном ответе предлагается не больше ${p.limit}. Это не предложено.`,
  answer_proposed:
    "Ничего не записано. Пользователь видит этот вызов рядом с ответом и может принять или отклонить его. Не " +
    "перечисляйте его значения снова и не говорите, что это сделано.",
  proposal_done: (p) => `Готово: ${p.summary}.`,
  proposal_not_found: (p) => `Предложения ${p.id} нет.`,
  proposal_closed: (p) => `Предложение ${p.id} больше нельзя принять или отклонить. Состояние: \`${p.state}\`.`,
  proposal_outdated: (p) =>
    `Запись, к которой относится предложение ${p.id}, с тех пор изменилась. Ничего не записано; спросите аналитика снова.`,
  record_changed: "После того как этот вызов был предложен, запись изменилась. Ничего не записано.",
  image_not_data_url: "Изображение должно быть data URL с base64; ссылки не загружаются.",
  image_unknown_type: "Это не PNG, JPEG, WebP и не GIF.",
  image_too_large: (p) => `Изображение — не более ${p.limit} МиБ.`,
  image_too_many_pixels: (p) => `Изображение — не более ${p.limit} мегапикселей.`,
  images_too_many: (p) => `За один раз — не более ${counted(p.limit, "изображения", "изображений", "изображений")}.`,
  images_too_large: (p) => `Все изображения вместе — не более ${p.limit} МиБ.`,
  seed_context_too_large: (p) => `\`seed_context\` — не более ${p.limit} КиБ.`,
  regenerate_needs_conversation: "Для `regenerate` нужен диалог, в котором есть вопрос.",
  last_message_needs_conversation: "Для `last_message_id` нужен `conversation_id` того же диалога.",
  mode_of_conversation: (p) => `Режим этого диалога — \`${p.mode}\`; уберите \`mode\` или начните новый диалог.`,
  secret_returned:
    "Первый запрос с этим Idempotency-Key уже вернул секрет, а секреты не хранятся. Если он потерян, создайте новый.",
  account_suspended: "Аккаунт приостановлен, поэтому его ключи и сеансы не действуют. Обратитесь к оператору сервиса.",
  ...accountMessages.ru,
  unknown_session: (p) => `Сеанса ${p.id} нет.`,
  invalid_session: "Вы не вошли, или сеанс завершился. Войдите снова.",
  sign_in_again: (p) =>
    `Это действие возможно только в течение ${p.minutes} мин после входа. Войдите снова и повторите его.`,
  link_unknown: "Ссылка недействительна: она не выдавалась или скопирована не полностью. Запросите новую.",
  link_used: "Эта ссылка уже использована, а действует она один раз. Запросите новую.",
  link_expired: "Срок этой ссылки истёк. Запросите новую.",
  cross_site:
    "Запрос пришёл не со страницы этого сервиса, поэтому ничего не сделано. Программы должны передавать ключ API.",
  other_account: "Страница открыта для другого аккаунта, а не для текущего; ничего не сделано. Обновите страницу.",
  too_many_attempts: (p) => `Слишком много неудачных попыток; повторите через ${p.seconds} с.`,
  unknown_plan: (p) => `Тарифа \`${p.plan}\` нет; выберите один из: ${p.known}.`,
  method_not_allowed: (p) => `Этот адрес принимает только ${p.allow}.`,
  request_in_progress: "Первый запрос с этим Idempotency-Key ещё выполняется; повторите чуть позже.",
  payload_too_large: (p) => `Тело запроса — не более ${counted(p.limit, "байта", "байт", "байт")}.`,
  unsupported_media_type: "Пришлите тело с `Content-Type: application/json`.",
  body_too_dense: (p) =>
    `Без изображений и других длинных текстов тело запроса — не более ${counted(p.limit, "байта", "байт", "байт")}.`,
  body_too_deep: (p) => `Вложенность тела запроса — не более ${counted(p.limit, "уровня", "уровней", "уровней")}.`,
  compressed_body: "Пришлите тело как есть, без `Content-Encoding`.",
  repeated_header: (p) => `Пришлите заголовок ${p.header} один раз.`,
  invalid_host: "Пришлите ровно один заголовок `Host`.",
  malformed_request: "Это не HTTP/1.1; проверьте строку запроса и заголовки.",
  headers_too_large: "Заголовки слишком велики; пришлите меньше или короче.",
  too_many_large_bodies: "Сервер уже читает максимальное число больших запросов. Этот не прочитан; пришлите его позже.",
  request_timeout: "Запрос не пришёл вовремя; пришлите его снова через более быстрое соединение.",
  rate_limited: (p) => `Слишком много запросов за минуту; повторите через ${p.seconds} с.`,
  too_many_keys: (p) =>
    `За сутки выпущено ключей: ${p.max}, считая отозванные; используйте один из них или повторите позже.`,
  too_many_streams: (p) =>
    `Открыто потоков этого вида: ${p.max}, это максимум для аккаунта; сначала закройте один из них.`,
  internal: "Ошибка на нашей стороне. Кредиты не списаны.",
  plan_not_configured: (p) =>
    `Тариф аккаунта \`${p.plan}\` на этом сервере не настроен; повторите позже или обратитесь к оператору.`,
  not_ready: (p) => `Этот процесс не готов: \`${p.dependency}\` недоступен.`,
  shutting_down: "Этот процесс не готов: он завершает работу.",
  unavailable: "Сервис сейчас не может ответить; повторите чуть позже. За эту попытку ничего не списано.",
  in_doubt: "Запрос прерван до того, как стал известен его исход: кредиты могли быть списаны. Повторите с тем же " +
    "Idempotency-Key, и они спишутся один раз; без него списания показывает GET /v1/usage.",

  title_bad_request: "Неверный запрос",
  title_unauthorized: "Нет аутентификации",
  title_over_limit: "Месячные кредиты исчерпаны",
  title_forbidden: "Не разрешено",
  title_not_found: "Не найдено",
  title_method_not_allowed: "Метод не поддерживается",
  title_conflict: "Конфликт",
  title_payload_too_large: "Тело слишком велико",
  title_unsupported_media_type: "Неподдерживаемый тип данных",
  title_rate_limited: "Слишком много запросов",
  title_request_timeout: "Запрос слишком медленный",
  title_headers_too_large: "Заголовки слишком велики",
  title_internal: "Внутренняя ошибка",
  title_unavailable: "Временно недоступно",

  unknown_symbol: (p) => `Символ \`${p.symbol}\` неизвестен.`,
  unknown_address: (p) =>
    `В сети \`${p.chain}\` нет токена с адресом \`${p.address}\`; сети и адреса перечисляет search_tokens.`,
  unknown_coin: (p) =>
    `Символ \`${p.symbol}\` неизвестен среди монет; для акций используйте get_us_stock или get_kr_stock.`,
  unknown_stock: (p) => `Символ \`${p.symbol}\` неизвестен среди акций; для монет используйте get_price.`,
  unknown_coin_here: (p) => `Символ \`${p.symbol}\` неизвестен среди монет; акция указывается в \`symbol\`.`,
  unknown_stock_here: (p) => `Символ \`${p.symbol}\` неизвестен среди акций; монета указывается в \`coin\`.`,
  ambiguous_symbol: (p) => `\`${p.name}\` может означать несколько инструментов; укажите тикер: ${p.candidates}.`,
  none_priced: "Сейчас ни у одной монеты нет цены.",
  none_before_listing: (p) => `${p.coin} торгуется с ${p.since}; более ранних данных нет.`,
  none_after_delisting: (p) => `Торги ${p.coin} прекращены ${p.since}; более поздних данных нет.`,
  none_yet: "Это время ещё не наступило.",
  none_recorded: (p) => `За это время по ${p.symbol} ничего не записано.`,
  none_closed: (p) => `Ни одна свеча ${p.symbol} (${p.timeframe}) ещё не закрылась.`,
  none_perpetual: (p) => `${p.coin} — стейблкоин, бессрочного контракта на него нет.`,
  none_trades_too_fast: (p) =>
    `Пулы ${p.coin} торгуют слишком быстро для источника: он отдаёт лишь последние несколько сотен сделок каждого ` +
    "пула.",
  none_on_krw_market: (p) => `${p.coin} не торгуется ни на одном рынке в вонах.`,
  none_krw_market_open: "Ни один рынок в вонах не открыт.",
  none_in_us: (p) => `${p.symbol} торгуется на ${p.exchange}, а не в США; используйте ${p.tool}.`,
  none_in_korea: (p) => `${p.symbol} торгуется на ${p.exchange}, а не в Корее; используйте ${p.tool}.`,
  none_korean: (p) => `${p.symbol} — не корейская акция.`,
  none_american: (p) => `${p.symbol} — не американская акция.`,
  none_with_options: (p) => `На ${p.coin} нет опционов; они есть на ${p.listed}.`,
  none_at_expiry: (p) => `Нет опционов на ${p.symbol} с этим сроком экспирации.`,
  none_on_expiry: (p) => `Нет опционов на ${p.symbol} с экспирацией ${p.expiry}; есть: ${p.listed}.`,
  none_option_price: (p) => `Сейчас у ${p.option} нет ни котировок, ни цены маркировки.`,
  none_so_long: (p) => `История ${p.symbol} короче.`,
  none_scored: (p) => `Ни у одного закрытого часа ${p.coin} нет оценки: монета слишком новая или цена не движется.`,
  none_hours_recorded: (p) => `Часовые свечи ${p.coin}, на которых основан этот ответ, записаны не все.`,
  none_of_stablecoin: (p) => `${p.coin} — стейблкоин: он держится привязки, оценки и сигналов у него нет.`,
  none_squeezed: (p) => `У ${p.coin} слишком мало закрытых часов, чтобы судить о сжатии, или цена не движется.`,
  none_regime: "Для режима нужны последние закрытые часы BTC и две трети суток и 30 дней до них, а записано меньше.",
  none_fear_greed:
    "Индексу страха и жадности нужен полностью записанный день BTC и хотя бы одна его составляющая; такого дня нет.",
  source_unavailable: (p) => `Источник \`${p.source}\` сейчас недоступен.`,
  source_without_network: "Ни один источник данных не отвечает: похоже, у сервиса нет сети.",
  source_busy: (p) => `К источнику \`${p.source}\` сейчас слишком много запросов; повторите чуть позже.`,
  source_busy_for: (p) => `К источнику \`${p.source}\` сейчас слишком много запросов; повторите через ${p.seconds} с.`,
  source_filling: (p) => `История источника \`${p.source}\` ещё загружается; повторите через минуту.`,
  source_blocked: (p) => `Источник \`${p.source}\` недоступен в регионе, где работает этот сервис.`,
  source_unreadable: (p) => `Ответ источника \`${p.source}\` не удалось разобрать, он отброшен.`,
  source_needs_setting: (p) => `Источнику \`${p.source}\` нужна настройка ${p.variable}.`,
  source_unset: (p) => `Источник \`${p.source}\` не настроен.`,
  source_missing_room:
    "Записей больше, чем читается за один раз; сократите период, увеличьте шаг или уменьшите число инструментов.",
  source_missing_flows:
    "Источник сделок по типам инвесторов не настроен, и настройкой его не добавить: корейская биржа отдаёт эти " +
    "данные программам только по договору.",
  source_missing_transfers:
    "Источник крупных переводов не настроен, и настройкой его не добавить: бесплатных меток биржевых кошельков нет. " +
    "Нужны лицензированные данные о переводах с метками кошельков.",
  compute_busy: "Вычислительные мощности заняты; повторите чуть позже.",
  compute_crashed: "Вычисление прервано; повторите чуть позже.",
  script_threw: (p) => `Скрипт завершился ошибкой: ${p.error}`,
  script_threw_at: (p) => `Скрипт завершился ошибкой в строке ${p.line}: ${p.error}`,
  script_memory: (p) => `Скрипт занял больше отведённых ${p.mb} МБ памяти.`,
  script_stack: "Рекурсия скрипта слишком глубока.",
  script_log: (p) => `Журнал скрипта превысил число строк ${p.lines} или ${p.kib} КиБ; пишите меньше.`,
  script_value: (p) => `Значение скрипта нельзя представить в JSON: ${p.reason}`,
  script_value_size: (p) => `Значение скрипта больше ${p.kib} КиБ; верните меньше.`,
  script_value_depth: (p) => `Вложенность значения скрипта больше ${p.limit} уровней.`,
  script_stalled: "Скрипт ждёт промис, который никогда не завершится.",
  script_broke: "Скрипт аварийно завершил песочницу.",
  script_timeout: (p) =>
    `Скрипт не завершился за ${p.ms} мс; сократите работу или увеличьте timeout_ms (не больше 10000).`,
  script_outage:
    "Вызов из скрипта не выполнен: сервис или источник данных сейчас недоступен или перегружен. Попробуйте чуть позже.",
  script_tool: (p) => `Скрипту нельзя вызвать \`${p.tool}\`: можно только рыночные инструменты за 1 кредит.`,
  chart_too_large: "График больше допустимого; запросите меньше баров или панелей.",
  chart_none: "Этот сервис не рисует графики: оператор должен подключить отрисовщик и хранилище изображений.",
  chart_volume: "Объём",
  chart_funding: "Фандинг",
  chart_oi: "Открытый интерес",
  chart_score: "Оценка",
  chart_yearly: "годовых",
  chart_as_of: "на",
  chart_running: "не закрыта",
  chart_longs: "ликвидации лонгов",
  chart_shorts: "ликвидации шортов",
  chart_no_data: "нет записей",
  journal_none: "Этот сервис не ведёт журналы: оператор должен подключить хранилище.",
  journal_no_position: (p) => `В вашем журнале нет открытой позиции ${p.id}; их список даёт get_positions.`,
  journal_no_trade: (p) => `В вашем журнале нет сделки ${p.id}; их список даёт get_trade_history.`,
  journal_positions_full: (p) =>
    `В журнале уже ${p.limit} открытых позиций, больше нельзя; сначала закройте или удалите одну.`,
  journal_trades_full: (p) => `В журнале уже ${p.limit} сделок, больше нельзя.`,
  journal_notes_full: (p) => `В журнале уже ${p.limit} заметок, больше нельзя.`,
  journal_watchlist_full: (p) =>
    `В избранном может быть не больше ${counted(p.limit, "монеты", "монет", "монет")}; сначала уберите лишние.`,
  tasks_none: "Этот сервис не ведёт задачи: оператор должен подключить хранилище.",
  task_not_found: (p) => `У вас нет задачи ${p.id}; их список даёт get_tasks.`,
  task_kind: (p) =>
    `Задача ${p.id} — ${
      p.kind === "watch" ? "алерт" : "расписание"
    }, и это не меняется; для другого вида создайте новую.`,
  task_done: (p) => `Задача ${p.id} завершена, запусков: ${p.runs}; чтобы она сработала снова, увеличьте max_runs.`,
  actor_ended:
    "Ничего не записано: сеанс или ключ этого запроса больше не действует, или у ключа нет права write:personal. Войдите снова или возьмите другой ключ.",
  task_limited_key:
    "У этого ключа свой месячный лимит кредитов, а задача с вопросом аналитику тратит кредиты аккаунта. " +
    "Используйте другой ключ или консоль.",
  tasks_full: (p) => `Открытых задач уже ${p.limit}, больше нельзя; сначала удалите одну (delete_task).`,
  watch_coins_only: (p) =>
    `\`${p.symbol}\` — акция, а ${p.metric} следит только за монетами; за акцией можно следить по price и gap.`,
  task_needs_chat: (p) =>
    `Задача ${p.id} спрашивает аналитика, для этого ключу нужно право agent:chat; приостановить или удалить её можно.`,
  task_did_gt: "выше",
  task_did_gte: "не ниже",
  task_did_lt: "ниже",
  task_did_lte: "не выше",
  task_did_cross_above: "пробой вверх уровня",
  task_did_cross_below: "пробой вниз уровня",
  task_saw_price: (p) => `${p.symbol}: цена ${p.value}, ${p.time}, ${p.did} ${p.level}.`,
  task_saw_score: (p) => `${p.symbol}: оценка ${p.value}, ${p.time}, ${p.did} ${p.level}.`,
  task_saw_vwap: (p) =>
    `${p.symbol}: цена ${p.price}, ${p.time}, пересекла ${
      p.dir === "above" ? "вверх" : "вниз"
    } дневной VWAP ${p.vwap}.`,
  task_saw_gap: (p) =>
    `Движение не менее ${p.level}% за 60 минут к ${p.time}: ${p.moves}${p.more > 0 ? ` и ещё ${p.more}` : ""}.`,
  task_late: (p) => `Обнаружено с опозданием на ${p.minutes} мин.`,
  task_missed: (p) => `До этого сработало бы ещё раз: ${p.times}.`,
  task_asked_by_watch: (p) => `(Сработал алерт «${p.title}». ${p.seen})`,
  task_no_analyst: "Задача спрашивает аналитика, а в этом сервисе его нет.",
  task_no_credits: (p) => `На вопрос аналитику не хватило кредитов; попытки возобновятся с ${p.until}.`,
  task_no_answers: (p) => `Ответы на сегодня исчерпаны; попытки возобновятся с ${p.until}.`,
  task_not_answered: "Аналитик не смог ответить; ничего не списано.",
  task_answered: "Ответ — в диалоге.",
  task_paused_by_operator: "Оператор сервиса приостановил эту задачу.",
  task_account_suspended:
    "Аккаунт был приостановлен, поэтому задача на паузе. Возобновите её, когда аккаунт снова станет активным.",
  task_key_gone:
    "Задача приостановлена: создавший её ключ отозван, истёк или больше не может спрашивать аналитика. Возобновите её другим ключом (update_task).",
  journal_no_account: "Размер счёта неизвестен. Укажите account_usd или сохраните его через set_risk_profile.",
  sandbox_crowded: (p) =>
    `Другие скрипты ждали, поэтому скрипт остановлен через ${p.ms} мс; сократите работу или повторите чуть позже.`,
  sandbox_budget: "За последнюю минуту ваши скрипты работали слишком долго, а другие ждут; повторите через минуту.",
  sandbox_busy: "Очередь скриптов заполнена; повторите чуть позже.",
  sandbox_away: "Сейчас скрипты выполнить нельзя; повторите чуть позже.",
  sandbox_none: "Этот сервис не выполняет скрипты: оператор должен подключить песочницу.",
  timeout: (p) => `Инструмент не завершился за ${p.seconds} с.`,

  issue_missing: "Этот аргумент обязателен.",
  issue_more: (p) => `Остальных ошибок: ${p.count}.`,
  issue_unexpected: (p) => p.known === "" ? "Такого поля нет; здесь полей нет." : `Такого поля нет; есть: ${p.known}.`,
  issue_unknown_query: (p) =>
    p.known === ""
      ? "У этого адреса нет параметров запроса."
      : `Такого параметра запроса нет; есть: ${p.known}.`,
  issue_expected: (p) => `Ожидается ${p.expected}.`,
  expected_string: "строка",
  expected_number: "конечное число",
  expected_boolean: "true или false",
  expected_array: "массив",
  expected_object: "объект",
  expected_null: "null",
  expected_integer: "целое число",
  expected_one_of: (p) => `одно из: ${p.options}`,
  expected_between: (p) => `значение от ${p.minimum} до ${p.maximum}`,
  expected_greater_than: (p) => `значение больше ${p.bound}`,
  expected_at_least: (p) => `значение не меньше ${p.bound}`,
  expected_at_most: (p) => `значение не больше ${p.bound}`,
  expected_length: (p) => `длина от ${p.minimum} до ${p.maximum}`,
  expected_pattern: (p) => `текст вида ${p.pattern}`,
  expected_ticker: "тикер из 1-20 букв или цифр либо название монеты",
  expected_symbol: "тикер, например AAPL или 005930, или название компании по-английски или по-корейски",
  expected_country: "двухбуквенный код страны, например US",
  expected_coin_or_address: "либо `coin`, либо `address` вместе с его `chain`",
  expected_address: "адрес контракта из 3-128 букв, цифр, `:`, `_`, `.` или `-`",
  expected_chain: "название сети строчными буквами, например ethereum",
  expected_coin_or_symbol: "либо `coin`, либо `symbol`",
  expected_stock_chart:
    "для акции `tf` 15m, 1h или 1d, без vwap, liquidations, funding, oi и score, которые есть у монет",
  expected_one_instrument: "`coin` или `symbol`, либо ни того ни другого; уберите одно",
  expected_date: "дата вида ГГГГ-ММ-ДД",
  expected_month: "месяц вида ГГГГ-ММ, например 2026-11",
  expected_month_or_days: "либо `month`, либо `from` и `to`",
  expected_days_in_order: "день не раньше `from`",
  expected_dimensions: (p) => `несколько значений из списка ${p.options}, через запятую`,
  expected_cursor: "значение `next_cursor` предыдущей страницы без изменений",
  expected_no_pages: "запрос без этого параметра: `format=csv` возвращает сразу все строки",
  expected_text: "текст без символов NUL и без половин суррогатных пар",
  expected_name: "имя в одну строку, без управляющих символов",
  expected_words: "непустой текст",
  expected_change: (p) => `что изменить: хотя бы одно из ${p.names}`,
  expected_items: (p) => `список не менее чем из ${counted(p.minimum, "элемента", "элементов", "элементов")}`,
  expected_distinct: "каждый элемент один раз; уберите повторы",
  expected_operand:
    "число или одно из: price, rsi(n), ema(n), sma(n), atr(n), adx(n), highest(n), lowest(n), где n до 1000, macd, " +
    "macd.signal, macd.histogram, bollinger.upper, bollinger.middle, bollinger.lower, vwap, funding, open_interest, score",
  expected_place:
    "место в стратегии, например entry.0.right, exit.0.left, stop_atr, take_atr или max_bars, каждое в одном диапазоне",
  expected_fitting: "значение, которое может стоять в этом месте стратегии",
  expected_combinations: (p) =>
    `диапазоны не более чем из ${counted(p.maximum, "сочетания", "сочетаний", "сочетаний")} (произведение их длин)`,
  expected_future: "момент в будущем, например 2027-01-31T00:00:00Z",
  expected_instant: "существующий момент, например 2027-01-31T00:00:00Z",
  expected_past: (p) => `момент в прошлом, не позже ${p.now}`,
  expected_stop_side: "стоп на стороне убытка: ниже входа у лонга, выше входа у шорта и не равный ему",
  expected_task_spec:
    "то, что может проверить код: для алерта { metric: price или score, symbol, op: gt, gte, lt, lte, cross_above или " +
    "cross_below, value }, { metric: vwap_cross, symbol, dir: above или below } или { metric: gap, symbol или *, value: процент " +
    "за 60 минут }; для расписания { at: ЧЧ:ММ, tz_offset_hours } или { every_min: от 5 до 43200 }",
  expected_watch_price: "для metric price: symbol, op и value (цена больше 0), и ничего больше, кроме market",
  expected_watch_score: "для metric score: монета как symbol, op и value от -100 до 100, и ничего больше",
  expected_watch_vwap: "для metric vwap_cross: монета как symbol и dir (above или below), и ничего больше",
  expected_watch_gap:
    "для metric gap: symbol (* — все монеты) и value от 0.01 до 1000 процентов, и ничего больше, кроме market",
  expected_time_of_day: "время суток в виде ЧЧ:ММ, например 09:30",
  expected_offset: "часы от UTC, от -12 до 14 с шагом 0.25, например 9 или 5.75",
  expected_valid: "допустимое значение"
}
