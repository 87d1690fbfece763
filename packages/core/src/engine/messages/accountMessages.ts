import type { Widen } from "./widen.ts"

/* The messages about accounts, their keys and their credits in the admin API. */

const en = {
  invalid_admin_token: "The admin token is missing or not valid. Send `Authorization: Bearer <admin token>`.",
  admin_scope_required: (p: { readonly scope: string }) =>
    `This admin token lacks the scope \`${p.scope}\`. Use a token with this scope.`,
  unknown_account: (p: { readonly id: number }) => `There is no account ${p.id}.`,
  unknown_admin_token: (p: { readonly id: number }) => `There is no admin token ${p.id}.`,
  admin_token_name_taken: (p: { readonly name: string }) =>
    `Another valid admin token has the name \`${p.name}\`. Choose another name, or revoke that token.`,
  backup_running: "Another backup of the database is running. Try again when it has ended.",
  expected_erasure_confirmation: "the account's `external_id`, or its `name` if it has none",
  external_id_taken: (p: { readonly id: string }) => `Another account has the external id \`${p.id}\`.`,
  account_closed: (p: { readonly id: number }) => `Account ${p.id} is closed. Create a new account.`,
  unknown_key: (p: { readonly id: number }) => `There is no key ${p.id}.`,
  unknown_call: (p: { readonly call: string }) =>
    `The account has no call \`${p.call}\`, or the call is so old that it is no longer stored.`,
  call_not_charged: (p: { readonly call: string }) =>
    `The call \`${p.call}\` is still running, or it ended without a charge. There is nothing to refund.`,
  call_already_refunded: (p: { readonly call: string; readonly adjustment: number }) =>
    `The call \`${p.call}\` was already refunded by adjustment ${p.adjustment}. A call can be refunded once.`,
  refund_exceeds_charge: (p: { readonly call: string; readonly charged: number }) =>
    `The call \`${p.call}\` was charged ${p.charged}. Refund at most this amount.`,
  credits_too_low: (p: { readonly left: number }) =>
    `The correction removes more than the ${p.left} that are left in the month. Remove at most ${p.left}, or set ` +
    "`allow_negative` to true.",
  adjustment_out_of_range:
    "The sum of a month's adjustments must be from -10^15 to 10^15, and no month may be after 2999-12.",
  expected_call_id: "the id of a call, such as call_202611_4711",
  expected_adjustment: "an object whose `kind` is `grant`, `refund` or `correction`",
  expected_amount: "a whole number other than 0, from -10^15 to 10^15"
}

type Messages = { readonly [K in keyof typeof en]: Widen<(typeof en)[K]> }

const ko: Messages = {
  invalid_admin_token:
    "관리자 토큰이 없거나 형식이 잘못되었거나, 만료 또는 폐기되었습니다. `Authorization: Bearer <관리자 토큰>`을 보내 주세요.",
  admin_scope_required: (p) =>
    `이 관리자 토큰에는 \`${p.scope}\` 권한이 없습니다. 이 권한이 있는 토큰을 사용해 주세요.`,
  unknown_account: (p) => `계정 ${p.id}이(가) 없습니다.`,
  unknown_admin_token: (p) => `관리자 토큰 ${p.id}이(가) 없습니다.`,
  admin_token_name_taken: (p) =>
    `이름이 \`${p.name}\`인 유효한 관리자 토큰이 이미 있습니다. 다른 이름을 쓰거나 기존 토큰을 폐기해 주세요.`,
  backup_running: "데이터베이스를 이미 백업하고 있습니다. 백업이 끝난 뒤 다시 시도해 주세요.",
  expected_erasure_confirmation: "계정의 `external_id`, 없으면 `name`",
  external_id_taken: (p) => `외부 ID \`${p.id}\`은(는) 다른 계정이 이미 사용하고 있습니다.`,
  account_closed: (p) => `계정 ${p.id}은(는) 해지되어 상태를 바꿀 수 없습니다. 새 계정을 만들어 주세요.`,
  unknown_key: (p) => `키 ${p.id}이(가) 없습니다.`,
  unknown_call: (p) => `이 계정에는 호출 \`${p.call}\`이(가) 없거나, 오래되어 더 이상 보관되지 않습니다.`,
  call_not_charged: (p) =>
    `호출 \`${p.call}\`은(는) 아직 실행 중이거나 크레딧이 차감되지 않고 끝났으므로 환불할 금액이 없습니다.`,
  call_already_refunded: (p) =>
    `호출 \`${p.call}\`은(는) 조정 ${p.adjustment}(으)로 이미 환불되었습니다. 환불은 호출마다 한 번만 할 수 있습니다.`,
  refund_exceeds_charge: (p) =>
    `호출 \`${p.call}\`에서 차감된 크레딧은 ${p.charged}입니다. 이보다 많이 환불할 수 없습니다.`,
  credits_too_low: (p) =>
    `이번 정정은 그 달에 남은 크레딧 ${p.left}보다 많이 차감합니다. ${p.left} 이하로 줄이거나 \`allow_negative\`를 true로 ` +
    "설정해 주세요.",
  adjustment_out_of_range:
    "한 달의 조정 합계는 양수든 음수든 10^15를 넘을 수 없으며, 2999-12 이후의 월은 조정할 수 없습니다.",
  expected_call_id: "call_202611_4711 같은 호출 ID",
  expected_adjustment: "`kind`가 `grant`, `refund`, `correction` 중 하나인 객체",
  expected_amount: "0이 아닌 -10^15부터 10^15까지의 정수"
}

const ru: Messages = {
  invalid_admin_token: "Токен администратора не указан, записан с ошибкой, истёк или отозван. Отправьте " +
    "`Authorization: Bearer <токен администратора>`.",
  admin_scope_required: (p) =>
    `У этого токена администратора нет права \`${p.scope}\`. Используйте токен с этим правом.`,
  unknown_account: (p) => `Аккаунта ${p.id} нет.`,
  unknown_admin_token: (p) => `Токена администратора ${p.id} нет.`,
  admin_token_name_taken: (p) =>
    `Действующий токен администратора с именем \`${p.name}\` уже есть. Выберите другое имя или отзовите тот токен.`,
  backup_running: "Резервная копия базы данных уже создаётся. Повторите запрос, когда она будет готова.",
  expected_erasure_confirmation: "`external_id` аккаунта, а если его нет — `name`",
  external_id_taken: (p) => `Внешний идентификатор \`${p.id}\` уже занят другим аккаунтом.`,
  account_closed: (p) => `Аккаунт ${p.id} закрыт, его состояние изменить нельзя. Создайте новый аккаунт.`,
  unknown_key: (p) => `Ключа ${p.id} нет.`,
  unknown_call: (p) => `У аккаунта нет вызова \`${p.call}\`, либо вызов слишком старый и уже не хранится.`,
  call_not_charged: (p) =>
    `Вызов \`${p.call}\` ещё выполняется или завершился без списания, поэтому возвращать нечего.`,
  call_already_refunded: (p) =>
    `За вызов \`${p.call}\` кредиты уже вернула корректировка ${p.adjustment}. Возврат за вызов делается один раз.`,
  refund_exceeds_charge: (p) => `За вызов \`${p.call}\` списано кредитов: ${p.charged}. Больше этого вернуть нельзя.`,
  credits_too_low: (p) =>
    `Исправление снимает больше, чем осталось в этом месяце (${p.left}). Уменьшите сумму до ${p.left} или задайте ` +
    "`allow_negative`: true.",
  adjustment_out_of_range:
    "Сумма корректировок за месяц не может превышать 10^15 ни в плюс, ни в минус, а месяц не может быть позже 2999-12.",
  expected_call_id: "идентификатор вызова, например call_202611_4711",
  expected_adjustment: "объект, в котором `kind` равно `grant`, `refund` или `correction`",
  expected_amount: "целое число от -10^15 до 10^15, кроме 0"
}

export const accountMessages: { readonly en: typeof en; readonly ko: Messages; readonly ru: Messages } = { en, ko, ru }
