import type { Dictionary } from "./dictionary.ts"

/** 한국어 메시지. */
export const ko: Dictionary = {
  user_id_not_accepted: "계정은 API 키로 정해집니다. 본문에서 `user_id` 필드를 빼 주세요.",
  invalid_body: "본문은 {\"coin\": \"BTC\"} 같은 JSON 객체 하나여야 합니다.",
  invalid_json: "본문이 JSON이 아닙니다. {\"coin\": \"BTC\"} 같은 JSON 객체 하나를 보내 주세요.",
  repeated_name: (p) => `본문의 한 객체에 \`${p.name}\`이(가) 두 번 있습니다. 한 번만 보내 주세요.`,
  invalid_arguments: (p) => `잘못된 인수가 ${p.count}개 있습니다. \`issues\`를 확인해 주세요.`,
  idempotency_key_reused: "이 Idempotency-Key는 다른 요청에 이미 쓰였습니다. 새 키를 보내 주세요.",
  invalid_idempotency_key: "Idempotency-Key는 출력 가능한 ASCII 문자 1~128자여야 합니다.",
  invalid_key:
    "API 키가 없거나 형식이 틀렸거나 만료 또는 폐기되었습니다. 유효한 키로 `Authorization: Bearer <key>`를 보내 주세요.",
  invalid_admin_token:
    "관리 기능에는 별도의 토큰이 필요합니다. `Authorization: Bearer <TAPELINE_ADMIN_TOKEN>`을 보내 주세요.",
  over_limit: (p) =>
    `이 호출은 ${p.price} 크레딧이 필요하지만 이번 달에 ${p.left} 크레딧이 남았습니다. 상위 요금제로 바꾸거나 갱신을 기다려 주세요.`,
  scope_required: (p) => `이 키에는 \`${p.scope}\` 권한이 없습니다.`,
  unknown_tool: (p) => `\`${p.tool}\`이라는 도구가 없습니다. GET /v1/tools에서 목록을 볼 수 있습니다.`,
  not_found: "이 주소에는 아무것도 없습니다.",
  unknown_account: (p) => `계정 ${p.id}이(가) 없습니다.`,
  unknown_key: (p) => `키 ${p.id}이(가) 없습니다.`,
  unknown_plan: (p) => `\`${p.plan}\` 요금제가 없습니다. 다음 중에서 고르세요: ${p.known}.`,
  method_not_allowed: (p) => `이 주소는 ${p.allow} 요청만 받습니다.`,
  key_limit: (p) => `이 계정의 요금제는 유효한 키를 ${p.limit}개까지 허용합니다. 키를 폐기하거나 요금제를 바꿔 주세요.`,
  request_in_progress: "같은 Idempotency-Key의 첫 요청이 아직 실행 중입니다. 잠시 후 다시 시도해 주세요.",
  payload_too_large: (p) => `본문은 최대 ${p.limit}바이트입니다.`,
  unsupported_media_type: "본문을 `Content-Type: application/json`으로 보내 주세요.",
  body_too_deep: (p) => `본문은 최대 ${p.limit}단계까지만 중첩할 수 있습니다.`,
  compressed_body: "본문을 `Content-Encoding` 없이 그대로 보내 주세요.",
  repeated_header: (p) => `${p.header} 헤더는 한 번만 보내 주세요.`,
  invalid_host: "`Host` 헤더를 정확히 하나 보내 주세요.",
  malformed_request: "올바른 HTTP/1.1 요청이 아닙니다. 요청 줄과 헤더를 확인해 주세요.",
  headers_too_large: "헤더가 너무 큽니다. 더 적거나 짧은 헤더를 보내 주세요.",
  request_timeout: "요청이 제시간에 도착하지 않았습니다. 더 빠르게 다시 보내 주세요.",
  rate_limited: (p) => `이번 분의 요청 한도를 넘었습니다. ${p.seconds}초 후에 다시 시도해 주세요.`,
  internal: "서버에서 문제가 발생했습니다. 크레딧은 차감되지 않았습니다.",
  plan_not_configured: (p) =>
    `계정의 요금제 \`${p.plan}\`이(가) 이 서버에 설정되어 있지 않습니다. 나중에 다시 시도하거나 운영자에게 문의해 주세요.`,
  unavailable: "지금은 응답할 수 없습니다. 잠시 후 다시 시도해 주세요. 이번 시도로는 크레딧이 차감되지 않았습니다.",
  in_doubt:
    "결과가 확인되기 전에 요청이 끊겨 크레딧이 차감되었을 수 있습니다. 같은 Idempotency-Key로 다시 요청하면 한 번만 " +
    "차감됩니다. 키가 없다면 GET /v1/usage에서 차감 내역을 확인해 주세요.",

  title_bad_request: "잘못된 요청",
  title_unauthorized: "인증 필요",
  title_over_limit: "월 크레딧 소진",
  title_forbidden: "권한 필요",
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
    `\`${p.symbol}\`은(는) 알 수 없는 심볼(코인)입니다. 주식은 get_us_stock이나 get_kr_stock에 물어보세요.`,
  unknown_stock: (p) => `\`${p.symbol}\`은(는) 알 수 없는 심볼(주식)입니다. 코인은 get_price에 물어보세요.`,
  ambiguous_symbol: (p) => `\`${p.name}\`에 해당하는 종목이 여럿입니다. 티커로 물어보세요: ${p.candidates}.`,
  none_priced: "지금 가격이 있는 코인이 없습니다.",
  none_before_listing: (p) => `${p.coin}은(는) ${p.since}에 상장되어 그 이전 데이터가 없습니다.`,
  none_after_delisting: (p) => `${p.coin}은(는) ${p.since}에 거래가 종료되어 그 이후 데이터가 없습니다.`,
  none_yet: "아직 오지 않은 시점입니다.",
  none_recorded: (p) => `그 기간에 기록된 ${p.symbol} 데이터가 없습니다.`,
  none_closed: (p) => `마감된 ${p.symbol} 캔들(${p.timeframe})이 아직 없습니다.`,
  none_perpetual: (p) => `${p.coin}은(는) 스테이블코인이라 무기한 선물이 없습니다.`,
  none_on_krw_market: (p) => `${p.coin}을(를) 상장한 원화 마켓이 없습니다.`,
  none_krw_market_open: "열려 있는 원화 마켓이 없습니다.",
  none_in_us: (p) => `${p.symbol}은(는) 미국이 아니라 ${p.exchange}에 상장되어 있습니다. ${p.tool}에 물어보세요.`,
  none_in_korea: (p) => `${p.symbol}은(는) 한국이 아니라 ${p.exchange}에 상장되어 있습니다. ${p.tool}에 물어보세요.`,
  none_korean: (p) => `${p.symbol}은(는) 한국 주식이 아닙니다.`,
  none_american: (p) => `${p.symbol}은(는) 미국 주식이 아닙니다.`,
  none_with_options: (p) => `${p.coin}에는 옵션이 없습니다. 옵션이 있는 코인: ${p.listed}.`,
  none_at_expiry: (p) => `그 시점에 만기되는 ${p.symbol} 상장 옵션이 없습니다.`,
  none_on_expiry: (p) => `${p.expiry}에 만기되는 ${p.symbol} 옵션이 없습니다. 상장된 만기: ${p.listed}.`,
  none_option_price: (p) => `지금 ${p.option}의 호가도 기준가도 없습니다.`,
  none_so_long: (p) => `${p.symbol}의 이력은 그보다 짧습니다.`,
  none_scored: (p) =>
    `점수가 있는 ${p.coin} 마감 시간봉이 없습니다. 상장된 지 얼마 안 되었거나 가격이 움직이지 않습니다.`,
  none_hours_recorded: (p) => `이 답의 근거가 되는 ${p.coin} 시간봉이 모두 기록되지는 않았습니다.`,
  none_of_stablecoin: (p) => `${p.coin}은(는) 페그를 따르는 스테이블코인이라 점수와 신호가 없습니다.`,
  none_squeezed: (p) => `${p.coin}의 마감 시간봉이 스퀴즈를 판단하기에 부족하거나 가격이 움직이지 않습니다.`,
  none_regime:
    "국면 판단에는 최근 BTC 마감 시간봉과 그 이전 하루 및 30일의 3분의 2가 필요하지만 기록된 것이 부족합니다.",
  none_fear_greed:
    "공포·탐욕 지수에는 빠짐없이 기록된 BTC 일봉과 계산할 수 있는 구성 요소가 필요하지만, 둘 다 있는 날이 없습니다.",
  source_unavailable: (p) => `지금은 \`${p.source}\`에 연결할 수 없습니다.`,
  source_busy: (p) => `지금 \`${p.source}\`에 요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.`,
  source_needs_setting: (p) => `\`${p.source}\`에는 ${p.variable} 설정이 필요합니다.`,
  compute_busy: "지금은 계산 요청이 가득 찼습니다. 잠시 후 다시 시도해 주세요.",
  compute_crashed: "계산이 중단되었습니다. 잠시 후 다시 시도해 주세요.",
  timeout: (p) => `도구가 ${p.seconds}초 안에 끝나지 않았습니다.`,

  issue_missing: "필수 인수입니다.",
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
  expected_ticker: "영문자나 숫자 1~20자의 티커",
  expected_symbol: "AAPL이나 005930 같은 티커 또는 회사 이름",
  expected_country: "US 같은 두 글자 국가 코드",
  expected_coin_or_address: "`coin` 하나, 또는 `address`와 그 `chain`을 함께",
  expected_address: "영문자, 숫자, `:`, `_`, `.`, `-`로 된 3~128자의 컨트랙트 주소",
  expected_chain: "ethereum처럼 소문자로 쓴 체인 이름",
  expected_one_instrument: "`coin`과 `symbol` 중 하나, 또는 둘 다 없이. 하나를 빼 주세요",
  expected_date: "YYYY-MM-DD 형식의 날짜",
  expected_month: "2026-11처럼 YYYY-MM 형식의 월",
  expected_text: "NUL 문자와 짝이 없는 서로게이트가 없는 텍스트",
  expected_name: "제어 문자가 없는 한 줄짜리 이름",
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
  expected_valid: "유효한 값"
}
