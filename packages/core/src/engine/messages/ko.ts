import { accountMessages } from "./accountMessages.ts"
import type { Dictionary } from "./dictionary.ts"
import { keyLimitMessages } from "./keyLimits.ts"
import { webhookMessages } from "./webhooks.ts"

export const ko: Dictionary = {
  ...keyLimitMessages.ko,
  ...webhookMessages.ko,
  user_id_not_accepted: "계정은 API 키로 정해집니다. 본문에서 `user_id` 필드를 빼 주세요.",
  invalid_body: "본문은 {\"coin\": \"BTC\"} 같은 JSON 객체 하나여야 합니다.",
  invalid_json: "본문이 JSON이 아닙니다. {\"coin\": \"BTC\"} 같은 JSON 객체 하나를 보내 주세요.",
  repeated_name: (p) => `본문의 한 객체에 \`${p.name}\`이(가) 두 번 있습니다. 한 번만 보내 주세요.`,
  invalid_arguments: (p) => `잘못된 인수가 ${p.count}개 있습니다. \`issues\`를 확인해 주세요.`,
  idempotency_key_reused: "이 Idempotency-Key는 다른 요청에 이미 쓰였습니다. 새 키를 보내 주세요.",
  invalid_idempotency_key: "Idempotency-Key는 출력 가능한 ASCII 문자 1~128자여야 합니다.",
  invalid_key:
    "API 키가 없거나 형식이 틀렸거나 만료 또는 폐기되었습니다. 유효한 키로 `Authorization: Bearer <key>`를 보내 주세요.",
  over_limit: (p) =>
    `이 호출은 ${p.price} 크레딧이 필요하지만 이번 달에 ${p.left} 크레딧이 남았습니다. 상위 요금제로 바꾸거나 갱신을 기다려 주세요.`,
  scope_required: (p) => `이 키에는 \`${p.scope}\` 권한이 없습니다.`,
  unknown_tool: (p) =>
    `\`${p.tool}\`이라는 도구가 없습니다. ${
      p.nearest === null ? "" : `혹시 \`${p.nearest}\`인가요? `
    }GET /v1/tools에서 목록을 볼 수 있습니다.`,
  not_found: "이 주소에는 아무것도 없습니다. 경로와 그 안의 id를 확인하세요.",
  conversation_not_found: (p) => `대화 ${p.id}이(가) 없습니다.`,
  generation_running: "이 대화는 아직 답변 중입니다. 이어서 받거나 먼저 중지해 주세요.",
  conversation_went_on: (p) =>
    `이 대화는 더 이상 ${p.shown}번 메시지로 끝나지 않습니다. 대화를 다시 읽고 지금의 마지막 메시지에 답해 주세요.`,
  daily_quota_reached: (p) =>
    `오늘 답변 ${p.quota}개를 모두 사용했습니다. 내일(UTC) 다시 이용하거나 상위 요금제를 선택해 주세요.`,
  status_thinking: "생각하는 중",
  status_calling_tools: "데이터를 확인하는 중",
  status_answering: "답변을 작성하는 중",
  status_retrying: "다시 시도하는 중",
  answer_model_unavailable: "지금 모델에 연결할 수 없습니다. 잠시 후 다시 질문해 주세요.",
  answer_model_refused: "모델이 요청을 거부했습니다. 운영자의 확인이 필요합니다.",
  answer_context_exceeded: "이 대화는 모델이 읽기에 너무 깁니다. 새 대화를 시작해 주세요.",
  answer_no_answer: "모델이 답변하지 못했습니다. 다시 질문하거나 더 좁혀서 질문해 주세요.",
  answer_filtered: "모델 제공자가 답변을 차단했습니다.",
  answer_account_suspended: "답변하는 동안 계정이 정지되거나 해지되었습니다.",
  answer_stopped_by_operator: "서비스 운영자가 이 답변을 중단했습니다.",
  answer_broken: "답변하는 동안 서비스에 문제가 발생했습니다.",
  nothing_charged: "크레딧은 차감되지 않았습니다.",
  answer_arguments_no_json: "인수가 읽을 수 있는 JSON이 아닙니다. JSON 객체 하나로 다시 호출해 주세요.",
  answer_no_such_tool: (p) =>
    `\`${p.tool}\`라는 도구는 없습니다.${p.nearest === null ? "" : ` 혹시 \`${p.nearest}\`인가요?`}`,
  answer_write_not_allowed:
    "이 답변에서는 기록을 바꾸거나 변경을 제안할 수 없습니다. 아무것도 기록하지 않았으니, 변경 내용을 사용자에게 설명하세요.",
  answer_propose_faults: (p) =>
    `\`${p.tool}\`에 맞지 않는 인수입니다: ${p.faults}. 아무것도 제안하지 않았으니, 고쳐서 다시 호출하세요.`,
  answer_propose_hidden: (p) =>
    `사용자가 전부 읽을 수 없는 호출입니다. JSON으로 ${p.limit}자 이내로, 백틱과 보이지 않는 문자 없이 쓰세요. ` +
    "아무것도 제안하지 않았습니다.",
  answer_propose_twice: "이 답변에서 똑같은 호출을 이미 제안했습니다. 다시 제안하지 않았습니다.",
  answer_propose_too_many: (p) => `한 답변은 최대 ${p.limit}개까지 제안합니다. 이것은 제안하지 않았습니다.`,
  answer_proposed:
    "아무것도 기록하지 않았습니다. 사용자는 답변 옆에서 이 호출을 보고 승인하거나 거절할 수 있습니다. 값을 다시 나열하지 말고, " +
    "실행했다고 말하지 마세요.",
  proposal_done: (p) => `완료: ${p.summary}.`,
  proposal_not_found: (p) => `제안 ${p.id}이(가) 없습니다.`,
  proposal_closed: (p) => `제안 ${p.id}은(는) 더 이상 승인하거나 거절할 수 없습니다. 상태: \`${p.state}\`.`,
  proposal_outdated: (p) =>
    `답변 이후에 제안 ${p.id}의 기록이 바뀌었습니다. 아무것도 기록하지 않았으니, 애널리스트에게 다시 물어보세요.`,
  record_changed: "이 호출을 제안한 뒤에 기록이 바뀌었습니다. 아무것도 기록하지 않았습니다.",
  image_not_data_url: "이미지는 base64 데이터 URL이어야 합니다. 링크는 불러오지 않습니다.",
  image_unknown_type: "PNG, JPEG, WebP, GIF 이미지가 아닙니다.",
  image_too_large: (p) => `이미지 하나는 최대 ${p.limit} MiB입니다.`,
  image_too_many_pixels: (p) => `이미지 하나는 최대 ${p.limit}메가픽셀입니다.`,
  images_too_many: (p) => `이미지는 한 번에 최대 ${p.limit}개까지 보낼 수 있습니다.`,
  images_too_large: (p) => `이미지는 모두 합쳐 최대 ${p.limit} MiB입니다.`,
  seed_context_too_large: (p) => `\`seed_context\`는 최대 ${p.limit} KiB입니다.`,
  regenerate_needs_conversation: "`regenerate`에는 질문이 있는 대화가 필요합니다.",
  last_message_needs_conversation: "`last_message_id`에는 그 메시지가 있는 대화의 `conversation_id`가 필요합니다.",
  mode_of_conversation: (p) => `이 대화의 모드는 \`${p.mode}\`입니다. \`mode\`를 빼거나 새 대화를 시작해 주세요.`,
  secret_returned:
    "이 Idempotency-Key의 첫 요청이 비밀값을 이미 반환했으며, 비밀값은 저장되지 않습니다. 잃어버렸다면 새로 만들어 주세요.",
  account_suspended: "정지된 계정입니다. 키와 세션을 사용할 수 없으니 서비스 운영자에게 문의해 주세요.",
  ...accountMessages.ko,
  unknown_session: (p) => `세션 ${p.id}이(가) 없습니다.`,
  invalid_session: "로그인하지 않았거나 세션이 종료되었습니다. 다시 로그인해 주세요.",
  sign_in_again: (p) =>
    `보안을 위해, 이 작업은 로그인한 지 ${p.minutes}분 이내에만 할 수 있습니다. 다시 로그인한 뒤 시도해 주세요.`,
  link_unknown: "이 링크로는 로그인할 수 없습니다. 발급된 적이 없거나 일부만 복사되었습니다. 새 링크를 요청해 주세요.",
  link_used: "이 링크는 이미 사용되었으며 한 번만 로그인할 수 있습니다. 새 링크를 요청해 주세요.",
  link_expired: "이 링크는 만료되었습니다. 새 링크를 요청해 주세요.",
  cross_site: "이 서비스의 페이지에서 보낸 요청이 아니어서 처리하지 않았습니다. 프로그램에서는 API 키를 사용해 주세요.",
  other_account:
    "이 페이지를 연 계정과 지금 로그인한 계정이 달라 요청을 처리하지 않았습니다. 페이지를 새로 고쳐 주세요.",
  too_many_attempts: (p) => `실패한 시도가 너무 많습니다. ${p.seconds}초 후에 다시 시도해 주세요.`,
  unknown_plan: (p) => `\`${p.plan}\` 요금제가 없습니다. 다음 중에서 고르세요: ${p.known}.`,
  method_not_allowed: (p) => `이 주소는 ${p.allow} 요청만 받습니다.`,
  request_in_progress: "같은 Idempotency-Key의 첫 요청이 아직 실행 중입니다. 잠시 후 다시 시도해 주세요.",
  payload_too_large: (p) => `본문은 최대 ${p.limit}바이트입니다.`,
  unsupported_media_type: "본문을 `Content-Type: application/json`으로 보내 주세요.",
  body_too_dense: (p) => `이미지와 긴 텍스트를 제외한 본문은 최대 ${p.limit}바이트입니다.`,
  body_too_deep: (p) => `본문은 최대 ${p.limit}단계까지만 중첩할 수 있습니다.`,
  compressed_body: "본문을 `Content-Encoding` 없이 그대로 보내 주세요.",
  repeated_header: (p) => `${p.header} 헤더는 한 번만 보내 주세요.`,
  invalid_host: "`Host` 헤더를 정확히 하나 보내 주세요.",
  malformed_request: "올바른 HTTP/1.1 요청이 아닙니다. 요청 줄과 헤더를 확인해 주세요.",
  headers_too_large: "헤더가 너무 큽니다. 더 적거나 짧은 헤더를 보내 주세요.",
  too_many_large_bodies:
    "대용량 요청을 이미 최대 개수만큼 처리하고 있습니다. 이 요청은 읽지 않았으니 잠시 후 다시 보내 주세요.",
  request_timeout: "요청이 제시간에 도착하지 않았습니다. 더 빠른 연결로 다시 보내 주세요.",
  rate_limited: (p) => `이번 분의 요청 한도를 넘었습니다. ${p.seconds}초 후에 다시 시도해 주세요.`,
  too_many_keys: (p) =>
    `하루 동안 폐기된 키를 포함해 ${p.max}개의 키가 발급되었습니다. 그중 하나를 쓰거나 나중에 다시 시도해 주세요.`,
  too_many_streams: (p) => `이 종류의 스트림이 계정 한도인 ${p.max}개까지 열려 있습니다. 먼저 하나를 닫아 주세요.`,
  internal: "서버에서 문제가 발생했습니다. 크레딧은 차감되지 않았습니다.",
  plan_not_configured: (p) =>
    `계정의 요금제 \`${p.plan}\`이(가) 이 서버에 설정되어 있지 않습니다. 나중에 다시 시도하거나 운영자에게 문의해 주세요.`,
  not_ready: (p) => `이 프로세스는 준비되지 않았습니다: \`${p.dependency}\`을(를) 사용할 수 없습니다.`,
  shutting_down: "이 프로세스는 준비되지 않았습니다: 종료하는 중입니다.",
  unavailable: "지금은 응답할 수 없습니다. 잠시 후 다시 시도해 주세요. 이번 시도로는 크레딧이 차감되지 않았습니다.",
  in_doubt:
    "결과가 확인되기 전에 요청이 끊겨 크레딧이 차감되었을 수 있습니다. 같은 Idempotency-Key로 다시 요청하면 한 번만 " +
    "차감됩니다. 키가 없다면 GET /v1/usage에서 차감 내역을 확인해 주세요.",

  title_bad_request: "잘못된 요청",
  title_unauthorized: "인증 필요",
  title_over_limit: "월 크레딧 소진",
  title_forbidden: "허용되지 않음",
  title_not_found: "찾을 수 없음",
  title_method_not_allowed: "허용되지 않는 메서드",
  title_conflict: "충돌",
  title_payload_too_large: "본문이 너무 큼",
  title_unsupported_media_type: "지원하지 않는 미디어 유형",
  title_rate_limited: "요청이 너무 많음",
  title_request_timeout: "요청이 너무 느림",
  title_headers_too_large: "헤더가 너무 큼",
  title_internal: "내부 오류",
  title_unavailable: "일시적으로 사용 불가",

  unknown_symbol: (p) => `\`${p.symbol}\`은(는) 알 수 없는 심볼입니다.`,
  unknown_address: (p) =>
    `\`${p.chain}\`에는 주소가 \`${p.address}\`인 토큰이 없습니다. 체인과 주소는 search_tokens에서 찾을 수 있습니다.`,
  unknown_coin: (p) =>
    `\`${p.symbol}\`은(는) 알 수 없는 심볼(코인)입니다. 주식은 get_us_stock이나 get_kr_stock을 사용하세요.`,
  unknown_stock: (p) => `\`${p.symbol}\`은(는) 알 수 없는 심볼(주식)입니다. 코인은 get_price를 사용하세요.`,
  unknown_coin_here: (p) => `\`${p.symbol}\`은(는) 알 수 없는 심볼(코인)입니다. 주식은 \`symbol\`에 넣어 주세요.`,
  unknown_stock_here: (p) => `\`${p.symbol}\`은(는) 알 수 없는 심볼(주식)입니다. 코인은 \`coin\`에 넣어 주세요.`,
  ambiguous_symbol: (p) => `\`${p.name}\`에 해당하는 종목이 여럿입니다. 티커로 요청해 주세요: ${p.candidates}.`,
  none_priced: "지금 가격이 있는 코인이 없습니다.",
  none_before_listing: (p) => `${p.coin}은(는) ${p.since}에 상장되어 그 이전 데이터가 없습니다.`,
  none_after_delisting: (p) => `${p.coin}은(는) ${p.since}에 거래가 종료되어 그 이후 데이터가 없습니다.`,
  none_yet: "아직 오지 않은 시점입니다.",
  none_recorded: (p) => `그 기간에 기록된 ${p.symbol} 데이터가 없습니다.`,
  none_closed: (p) => `마감된 ${p.symbol} 캔들(${p.timeframe})이 아직 없습니다.`,
  none_perpetual: (p) => `${p.coin}은(는) 스테이블코인이라 무기한 선물이 없습니다.`,
  none_trades_too_fast: (p) =>
    `${p.coin} 풀의 거래가 너무 빨라 데이터 소스가 모두 제공하지 못합니다. 소스는 풀마다 최근 수백 건만 제공합니다.`,
  none_on_krw_market: (p) => `${p.coin}을(를) 상장한 원화 마켓이 없습니다.`,
  none_krw_market_open: "열려 있는 원화 마켓이 없습니다.",
  none_in_us: (p) => `${p.symbol}은(는) 미국이 아니라 ${p.exchange}에 상장되어 있습니다. ${p.tool}을(를) 사용하세요.`,
  none_in_korea: (p) =>
    `${p.symbol}은(는) 한국이 아니라 ${p.exchange}에 상장되어 있습니다. ${p.tool}을(를) 사용하세요.`,
  none_korean: (p) => `${p.symbol}은(는) 한국 주식이 아닙니다.`,
  none_american: (p) => `${p.symbol}은(는) 미국 주식이 아닙니다.`,
  none_with_options: (p) => `${p.coin}에는 옵션이 없습니다. 옵션이 있는 코인: ${p.listed}.`,
  none_at_expiry: (p) => `그 시점에 만기되는 ${p.symbol} 상장 옵션이 없습니다.`,
  none_on_expiry: (p) => `${p.expiry}에 만기되는 ${p.symbol} 옵션이 없습니다. 상장된 만기: ${p.listed}.`,
  none_option_price: (p) => `지금 ${p.option}의 호가와 마크 가격이 없습니다.`,
  none_so_long: (p) => `${p.symbol}의 이력은 그보다 짧습니다.`,
  none_scored: (p) =>
    `점수가 있는 ${p.coin} 마감 시간봉이 없습니다. 상장된 지 얼마 안 되었거나 가격이 움직이지 않습니다.`,
  none_hours_recorded: (p) => `이 결과에 필요한 ${p.coin} 시간봉이 모두 기록되지는 않았습니다.`,
  none_of_stablecoin: (p) => `${p.coin}은(는) 페그를 따르는 스테이블코인이라 점수와 시그널이 없습니다.`,
  none_squeezed: (p) => `${p.coin}의 마감 시간봉이 스퀴즈를 판단하기에 부족하거나 가격이 움직이지 않습니다.`,
  none_regime:
    "국면 판단에는 최근 BTC 마감 시간봉과 그 이전 하루 및 30일의 3분의 2가 필요하지만 기록된 것이 부족합니다.",
  none_fear_greed:
    "공포·탐욕 지수에는 빠짐없이 기록된 BTC 일봉과 계산할 수 있는 구성 요소가 필요하지만, 둘 다 있는 날이 없습니다.",
  source_unavailable: (p) => `지금은 \`${p.source}\`에 연결할 수 없습니다.`,
  source_without_network: "어떤 데이터 소스에도 연결할 수 없습니다. 서비스의 네트워크 연결이 끊긴 것 같습니다.",
  source_busy: (p) => `지금 \`${p.source}\`에 요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.`,
  source_busy_for: (p) => `지금 \`${p.source}\`에 요청이 너무 많습니다. ${p.seconds}초 후 다시 시도해 주세요.`,
  source_filling: (p) => `\`${p.source}\`의 과거 데이터를 아직 수집하고 있습니다. 1분 후에 다시 시도해 주세요.`,
  source_blocked: (p) => `\`${p.source}\`은(는) 이 서비스가 운영되는 지역에서 사용할 수 없습니다.`,
  source_unreadable: (p) => `\`${p.source}\`의 응답을 해석할 수 없어 사용하지 않았습니다.`,
  source_needs_setting: (p) => `\`${p.source}\`에는 ${p.variable} 설정이 필요합니다.`,
  source_unset: (p) => `이 서비스에는 \`${p.source}\`이(가) 설정되어 있지 않습니다.`,
  source_missing_room: "한 번에 읽는 양보다 기록이 많습니다. 기간을 줄이거나 간격을 늘리거나 대상을 줄여 주세요.",
  source_missing_flows:
    "투자자별 매매 동향을 제공하는 소스가 설정되어 있지 않으며, 설정으로 추가할 수도 없습니다. 한국거래소는 계약 없이 프로그램에 이 데이터를 제공하지 않습니다.",
  source_missing_transfers:
    "이 서비스에는 대규모 이체 소스가 없고 설정으로 추가할 수도 없습니다. 거래소 지갑을 식별하는 무료 소스가 없어, 라벨이 붙은 이체 데이터의 유료 라이선스가 필요합니다.",
  compute_busy: "지금은 계산 용량이 가득 찼습니다. 잠시 후 다시 시도해 주세요.",
  compute_crashed: "계산이 중단되었습니다. 잠시 후 다시 시도해 주세요.",
  script_threw: (p) => `스크립트가 실패했습니다: ${p.error}`,
  script_threw_at: (p) => `스크립트가 ${p.line}행에서 실패했습니다: ${p.error}`,
  script_memory: (p) => `스크립트가 메모리 ${p.mb}MB를 넘게 썼습니다.`,
  script_stack: "스크립트의 재귀가 너무 깊습니다.",
  script_log: (p) => `스크립트의 로그가 ${p.lines}행 또는 ${p.kib}KiB를 넘었습니다. 로그를 줄여 주세요.`,
  script_value: (p) => `스크립트의 값을 JSON으로 나타낼 수 없습니다: ${p.reason}`,
  script_value_size: (p) => `스크립트의 값이 ${p.kib}KiB를 넘습니다. 더 적게 반환해 주세요.`,
  script_value_depth: (p) => `스크립트의 값이 ${p.limit}단계보다 깊이 중첩되었습니다.`,
  script_stalled: "스크립트가 완료되지 않는 프로미스를 기다립니다.",
  script_broke: "스크립트 때문에 샌드박스가 비정상 종료되었습니다.",
  script_timeout: (p) =>
    `스크립트가 ${p.ms}ms 안에 끝나지 않았습니다. 할 일을 줄이거나 timeout_ms를 늘려 주세요(최대 10000).`,
  script_outage:
    "서비스나 데이터 소스가 응답하지 않거나 혼잡하여 스크립트를 끝까지 실행하지 못했습니다. 잠시 후 다시 시도해 주세요.",
  script_tool: (p) => `\`${p.tool}\`은(는) 스크립트에서 호출할 수 없습니다. 1크레딧 시장 도구만 호출할 수 있습니다.`,
  chart_too_large: "차트가 보관 한도보다 큽니다. 봉이나 패널 수를 줄여 주세요.",
  chart_none: "이 서비스는 차트를 그리지 않습니다. 운영자가 렌더러와 이미지 저장소를 설정해야 합니다.",
  chart_volume: "거래량",
  chart_funding: "펀딩비",
  chart_oi: "미결제약정",
  chart_score: "점수",
  chart_yearly: "연율",
  chart_as_of: "기준",
  chart_running: "진행 중",
  chart_longs: "롱 청산",
  chart_shorts: "숏 청산",
  chart_no_data: "기록 없음",
  journal_none: "이 서비스는 매매 일지를 제공하지 않습니다. 운영자가 저장소를 설정해야 합니다.",
  journal_no_position: (p) =>
    `매매 일지에 보유 중인 포지션 ${p.id}이(가) 없습니다. get_positions로 목록을 볼 수 있습니다.`,
  journal_no_trade: (p) => `매매 일지에 매매 ${p.id}이(가) 없습니다. get_trade_history로 목록을 볼 수 있습니다.`,
  journal_positions_full: (p) =>
    `매매 일지의 보유 포지션이 최대 ${p.limit}개에 이르렀습니다. 먼저 하나를 종료하거나 삭제해 주세요.`,
  journal_trades_full: (p) => `매매 일지의 매매가 최대 ${p.limit}건에 이르렀습니다.`,
  journal_notes_full: (p) => `매매 일지의 메모가 최대 ${p.limit}개에 이르렀습니다.`,
  journal_watchlist_full: (p) => `관심 종목에는 코인을 ${p.limit}개까지 담을 수 있습니다. 먼저 몇 개를 제거해 주세요.`,
  tasks_none: "이 서비스는 작업을 제공하지 않습니다. 운영자가 저장소를 설정해야 합니다.",
  task_not_found: (p) => `작업 ${p.id}이(가) 없습니다. get_tasks로 목록을 볼 수 있습니다.`,
  task_kind: (p) =>
    `작업 ${p.id}의 종류는 ${
      p.kind === "watch" ? "조건 알림" : "예약"
    }이며 바꿀 수 없습니다. 다른 종류는 새 작업으로 만들어 주세요.`,
  task_done: (p) => `작업 ${p.id}은(는) ${p.runs}회 실행되어 끝났습니다. 다시 실행하려면 max_runs를 늘려 주세요.`,
  actor_ended:
    "저장하지 않았습니다. 이 요청의 세션이나 키가 만료되었거나 키에 write:personal 권한이 없습니다. 다시 로그인하거나 다른 키를 사용해 주세요.",
  task_limited_key:
    "이 키에는 자체 월 크레딧이 있지만, 분석가에게 묻는 작업은 계정의 크레딧을 사용합니다. 다른 키나 콘솔을 사용해 주세요.",
  tasks_full: (p) => `활성 작업이 최대 ${p.limit}개에 이르렀습니다. 먼저 하나를 삭제해 주세요 (delete_task).`,
  watch_coins_only: (p) =>
    `\`${p.symbol}\`은(는) 주식이며 ${p.metric} 조건은 코인에만 쓸 수 있습니다. 주식에는 price와 gap을 쓸 수 있습니다.`,
  task_needs_chat: (p) =>
    `작업 ${p.id}은(는) 애널리스트에게 질문하는 작업이라 이 키에 agent:chat 권한이 필요합니다. 일시 중지와 삭제는 할 수 있습니다.`,
  task_did_gt: "초과",
  task_did_gte: "이상",
  task_did_lt: "미만",
  task_did_lte: "이하",
  task_did_cross_above: "상향 돌파",
  task_did_cross_below: "하향 돌파",
  task_saw_price: (p) => `${p.symbol}: ${p.time} 가격 ${p.value} (조건: ${p.level} ${p.did}).`,
  task_saw_score: (p) => `${p.symbol}: ${p.time} 점수 ${p.value} (조건: ${p.level} ${p.did}).`,
  task_saw_vwap: (p) =>
    `${p.symbol}: ${p.time} 가격 ${p.price}, 당일 VWAP ${p.vwap} ${p.dir === "above" ? "상향" : "하향"} 돌파.`,
  task_saw_gap: (p) =>
    `${p.time}까지 60분 동안 ${p.level}% 이상 움직임: ${p.moves}${p.more > 0 ? ` 외 ${p.more}종목` : ""}.`,
  task_late: (p) => `${p.minutes}분 늦게 감지했습니다.`,
  task_missed: (p) => `그때까지 ${p.times}번 더 발동했을 것입니다.`,
  task_asked_by_watch: (p) => `(조건 알림 ‘${p.title}’ 발동: ${p.seen})`,
  task_no_analyst: "애널리스트에게 질문하는 작업인데 이 서비스에는 애널리스트가 없습니다.",
  task_no_credits: (p) => `애널리스트에게 질문할 크레딧이 남아 있지 않습니다. ${p.until}부터 다시 시도합니다.`,
  task_no_answers: (p) => `오늘의 답변을 모두 사용했습니다. ${p.until}부터 다시 시도합니다.`,
  task_not_answered: "애널리스트가 답변하지 못했습니다. 크레딧은 차감되지 않았습니다.",
  task_answered: "답변은 대화에 있습니다.",
  task_paused_by_operator: "서비스 운영자가 이 작업을 일시 중지했습니다.",
  task_account_suspended: "계정이 정지되어 작업을 일시 중지했습니다. 계정이 다시 활성화되면 작업을 재개해 주세요.",
  task_key_gone:
    "일시 중지되었습니다. 작업을 만든 키가 폐기되거나 만료되었거나 더는 애널리스트에게 질문할 수 없습니다. 다른 키로 재개해 주세요 (update_task).",
  journal_no_account: "계좌 규모를 알 수 없습니다. account_usd를 주거나 set_risk_profile로 저장해 주세요.",
  sandbox_crowded: (p) =>
    `다른 스크립트가 기다리고 있어 ${p.ms}ms 뒤에 스크립트를 중지했습니다. 작업량을 줄이거나 잠시 후 다시 시도해 주세요.`,
  sandbox_budget:
    "지난 1분 동안 스크립트가 너무 오래 실행되었고 다른 스크립트가 기다리고 있습니다. 1분 후 다시 시도해 주세요.",
  sandbox_busy: "스크립트 대기열이 가득 찼습니다. 잠시 후 다시 시도해 주세요.",
  sandbox_away: "지금은 스크립트를 실행할 수 없습니다. 잠시 후 다시 시도해 주세요.",
  sandbox_none: "이 서비스는 스크립트를 실행하지 않습니다. 운영자가 샌드박스를 설정해야 합니다.",
  timeout: (p) => `도구가 ${p.seconds}초 안에 끝나지 않았습니다.`,

  issue_missing: "필수 인수입니다.",
  issue_more: (p) => `이 밖에 문제가 ${p.count}건 더 있습니다.`,
  issue_unexpected: (p) =>
    p.known === ""
      ? "이런 필드는 없습니다. 여기서 쓸 수 있는 필드가 없습니다."
      : `이런 필드는 없습니다. 쓸 수 있는 것: ${p.known}.`,
  issue_unknown_query: (p) =>
    p.known === ""
      ? "이 주소에는 쿼리 매개변수가 없습니다."
      : `이런 쿼리 매개변수는 없습니다. 쓸 수 있는 것: ${p.known}.`,
  issue_expected: (p) => `올바른 값: ${p.expected}.`,
  expected_string: "문자열",
  expected_number: "유한한 숫자",
  expected_boolean: "true 또는 false",
  expected_array: "배열",
  expected_object: "객체",
  expected_null: "null",
  expected_integer: "정수",
  expected_one_of: (p) => `${p.options} 중 하나`,
  expected_between: (p) => `${p.minimum} 이상 ${p.maximum} 이하`,
  expected_greater_than: (p) => `${p.bound} 초과`,
  expected_at_least: (p) => `${p.bound} 이상`,
  expected_at_most: (p) => `${p.bound} 이하`,
  expected_length: (p) => `길이 ${p.minimum} 이상 ${p.maximum} 이하`,
  expected_pattern: (p) => `${p.pattern} 형식의 텍스트`,
  expected_ticker: "영문자나 숫자 1~20자의 티커 또는 코인 이름",
  expected_symbol: "AAPL이나 005930 같은 티커 또는 영어나 한국어로 쓴 회사 이름",
  expected_country: "US 같은 두 글자 국가 코드",
  expected_coin_or_address: "`coin` 하나, 또는 `address`와 그 `chain`을 함께",
  expected_address: "영문자, 숫자, `:`, `_`, `.`, `-`로 된 3~128자의 컨트랙트 주소",
  expected_chain: "ethereum처럼 소문자로 쓴 체인 이름",
  expected_coin_or_symbol: "`coin`과 `symbol` 중 하나",
  expected_stock_chart:
    "주식은 `tf` 15m, 1h, 1d만 가능하며, 코인에만 있는 vwap, liquidations, funding, oi, score는 빼 주세요",
  expected_one_instrument: "`coin`과 `symbol` 중 하나, 또는 둘 다 없이. 하나를 빼 주세요",
  expected_date: "YYYY-MM-DD 형식의 날짜",
  expected_month: "2026-11처럼 YYYY-MM 형식의 월",
  expected_month_or_days: "`month` 하나, 또는 `from`과 `to`",
  expected_days_in_order: "`from`보다 이르지 않은 날짜",
  expected_dimensions: (p) => `쉼표로 구분한 ${p.options} 중 일부`,
  expected_cursor: "이전 페이지의 `next_cursor` 값 그대로",
  expected_no_pages: "`format=csv`는 모든 행을 한 번에 반환하므로 이 매개변수 없는 요청",
  expected_text: "NUL 문자와 짝이 없는 서로게이트가 없는 텍스트",
  expected_name: "제어 문자가 없는 한 줄짜리 이름",
  expected_words: "비어 있지 않은 텍스트",
  expected_change: (p) => `바꿀 내용. ${p.names} 중 하나 이상`,
  expected_items: (p) => `항목이 ${p.minimum}개 이상인 목록`,
  expected_distinct: "서로 다른 항목. 중복된 항목을 빼 주세요",
  expected_operand:
    "숫자, 또는 price, rsi(n), ema(n), sma(n), atr(n), adx(n), highest(n), lowest(n)(n은 1000까지), macd, macd.signal, " +
    "macd.histogram, bollinger.upper, bollinger.middle, bollinger.lower, vwap, funding, open_interest, score 중 하나",
  expected_place:
    "entry.0.right, exit.0.left, stop_atr, take_atr, max_bars처럼 전략 안에 있는 위치. 한 위치에는 범위를 하나만 주세요",
  expected_fitting: "전략의 그 위치에 올 수 있는 값",
  expected_combinations: (p) => `조합(각 범위 길이의 곱)이 ${p.maximum}개 이하인 범위`,
  expected_future: "2027-01-31T00:00:00Z 같은 미래의 시각",
  expected_instant: "2027-01-31T00:00:00Z 같은 실제로 있는 시각",
  expected_past: (p) => `과거의 시각(${p.now} 이전)`,
  expected_stop_side: "손실 쪽의 손절가: 롱은 진입가 아래, 숏은 진입가 위이며 진입가와 같을 수 없음",
  expected_task_spec:
    "코드가 판정할 수 있는 조건. 조건 알림은 { metric: price 또는 score, symbol, op: gt, gte, lt, lte, cross_above, cross_below, value }, " +
    "{ metric: vwap_cross, symbol, dir: above 또는 below }, { metric: gap, symbol 또는 *, value: 60분 이내 변동률(%) } 중 하나, " +
    "예약은 { at: HH:MM, tz_offset_hours } 또는 { every_min: 5~43200 }",
  expected_watch_price: "metric price에는 symbol, op, value(0보다 큰 가격)만, 필요하면 market도",
  expected_watch_score: "metric score에는 코인인 symbol, op, value(-100~100)만",
  expected_watch_vwap: "metric vwap_cross에는 코인인 symbol과 dir(above 또는 below)만",
  expected_watch_gap: "metric gap에는 symbol(*는 모든 코인)과 value(0.01~1000%)만, 필요하면 market도",
  expected_time_of_day: "HH:MM으로 쓴 시각(예: 09:30)",
  expected_offset: "UTC와의 시차(시간, -12~14, 0.25 단위, 예: 9, 5.75)",
  expected_valid: "유효한 값"
}
