/** The messages about the limits and the rotation of API keys, in each language. */
const plurals = new Intl.PluralRules("ru")

const counted = (count: number, one: string, few: string, many: string): string => {
  const form = plurals.select(count)
  return `${count} ${form === "one" ? one : form === "few" ? few : many}`
}

const en = {
  key_limit: (p: { readonly limit: number }) =>
    `The account's plan allows ${p.limit === 1 ? "1 active key" : `${p.limit} active keys`}; revoke one first, or ` +
    "change the plan.",
  key_over_limit: (p: { readonly price: number; readonly left: number; readonly limit: number }) =>
    `This call costs ${p.price === 1 ? "1 credit" : `${p.price} credits`}, and this key has ${p.left} of its ` +
    `${p.limit} monthly credits left. Raise the key's limit, or use another key.`,
  address_not_allowed: "This key is not accepted from your IP address.",
  rotation_running: (p: { readonly id: number }) =>
    `Key ${p.id} belongs to the same rotation and is still valid. Revoke it, or wait until it expires.`,
  key_ended: (p: { readonly id: number }) => `Key ${p.id} is revoked or expired. Issue a new key.`,
  expected_ip_range:
    "an IP address, or a range in CIDR notation without host bits, such as 203.0.113.0/24 or 2001:db8::/32"
}

type Messages = {
  readonly [K in keyof typeof en]: (typeof en)[K] extends (p: infer P) => string ? (p: P) => string : string
}

const ko: Messages = {
  key_limit: (p) => `이 계정의 요금제는 활성 키를 ${p.limit}개까지 허용합니다. 키를 폐기하거나 요금제를 바꿔 주세요.`,
  key_over_limit: (p) =>
    `이 호출은 ${p.price} 크레딧이 필요하지만 이 키의 월 한도 ${p.limit} 크레딧 중 ${p.left} 크레딧이 남았습니다. ` +
    "키의 한도를 올리거나 다른 키를 사용해 주세요.",
  address_not_allowed: "현재 IP 주소에서는 이 키를 사용할 수 없습니다.",
  rotation_running: (p) =>
    `같은 교체 과정의 키 ${p.id}이(가) 아직 유효합니다. 그 키를 폐기하거나 만료될 때까지 기다려 주세요.`,
  key_ended: (p) => `키 ${p.id}은(는) 폐기되었거나 만료되었습니다. 새 키를 발급해 주세요.`,
  expected_ip_range: "203.0.113.0/24 또는 2001:db8::/32처럼 호스트 비트가 없는 CIDR 범위이거나 IP 주소 하나"
}

const ru: Messages = {
  key_limit: (p) =>
    `Тариф допускает не более ${
      counted(p.limit, "действующего ключа", "действующих ключей", "действующих ключей")
    }; отзовите один или смените тариф.`,
  key_over_limit: (p) =>
    `Вызов стоит ${
      counted(p.price, "кредит", "кредита", "кредитов")
    }, а у этого ключа осталось ${p.left} из ${p.limit} на месяц. ` +
    "Увеличьте лимит ключа или используйте другой ключ.",
  address_not_allowed: "С вашего IP-адреса этот ключ не принимается.",
  rotation_running: (p) =>
    `Ключ ${p.id} из той же замены ещё действует. Отзовите его или дождитесь окончания его срока.`,
  key_ended: (p) => `Ключ ${p.id} отозван или его срок истёк. Выпустите новый ключ.`,
  expected_ip_range: "IP-адрес или диапазон CIDR без битов узла, например 203.0.113.0/24 или 2001:db8::/32"
}

export const keyLimitMessages = { en, ko, ru }
