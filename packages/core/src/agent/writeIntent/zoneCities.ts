/** Names of cities that differ from the names of their zones. */
const aliases: Readonly<Record<string, string>> = {
  kolkata: "Asia/Calcutta",
  mumbai: "Asia/Calcutta",
  delhi: "Asia/Calcutta",
  "new delhi": "Asia/Calcutta",
  bangalore: "Asia/Calcutta",
  osaka: "Asia/Tokyo",
  beijing: "Asia/Shanghai",
  shenzhen: "Asia/Shanghai",
  hanoi: "Asia/Saigon",
  "ho chi minh city": "Asia/Saigon",
  kathmandu: "Asia/Katmandu",
  doha: "Asia/Qatar",
  "abu dhabi": "Asia/Dubai",
  "tel aviv": "Asia/Jerusalem",
  kyiv: "Europe/Kiev",
  munich: "Europe/Berlin",
  frankfurt: "Europe/Berlin",
  geneva: "Europe/Zurich",
  milan: "Europe/Rome",
  barcelona: "Europe/Madrid",
  nyc: "America/New_York",
  boston: "America/New_York",
  miami: "America/New_York",
  washington: "America/New_York",
  dallas: "America/Chicago",
  houston: "America/Chicago",
  "san francisco": "America/Los_Angeles",
  seattle: "America/Los_Angeles"
}

/** Beginnings of Russian names of cities, with their zones. */
const russian: Readonly<Record<string, string>> = {
  владивосток: "Asia/Vladivostok",
  минск: "Europe/Minsk",
  киев: "Europe/Kiev",
  екатеринбург: "Asia/Yekaterinburg",
  новосибирск: "Asia/Novosibirsk",
  самар: "Europe/Samara",
  омск: "Asia/Omsk",
  иркутск: "Asia/Irkutsk",
  красноярск: "Asia/Krasnoyarsk",
  якутск: "Asia/Yakutsk",
  калининград: "Europe/Kaliningrad",
  ташкент: "Asia/Tashkent",
  бишкек: "Asia/Bishkek",
  баку: "Asia/Baku",
  ереван: "Asia/Yerevan",
  тбилиси: "Asia/Tbilisi",
  варшав: "Europe/Warsaw",
  праг: "Europe/Prague",
  стамбул: "Europe/Istanbul",
  пекин: "Asia/Shanghai",
  шанха: "Asia/Shanghai",
  бангкок: "Asia/Bangkok",
  сидне: "Australia/Sydney",
  чикаго: "America/Chicago"
}

const zones: ReadonlyMap<string, string> = new Map([
  ...Intl.supportedValuesOf("timeZone").filter((id) => id.includes("/")).map((id) =>
    [id.slice(id.lastIndexOf("/") + 1).replaceAll("_", " ").toLowerCase(), id] as const
  ),
  ...Object.entries(aliases),
  ...Object.entries(russian)
])

/** Any of the names of cities, for a regular expression. */
export const cityNames = [...zones.keys()].filter((name) => /^[a-z' -]+$/.test(name)).toSorted((a, b) =>
  b.length - a.length
).join("|")
export const russianCityNames = Object.keys(russian).join("|")

const offsetAt = (zone: string, month: number): number => {
  const text = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" })
    .format(Date.UTC(2026, month, 15))
  const [, sign, hours = "0", minutes = "0"] = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(text) ?? []
  return (sign === "-" ? -1 : 1) * (Number(hours) + Number(minutes) / 60)
}

/** Returns the offset of a city from UTC in hours; null if it changes within a year, or the city is unknown. */
export const fixedOffset = (city: string): number | null => {
  const zone = zones.get(city.toLowerCase())
  if (zone === undefined) return null
  const offsets = new Set(Array.from({ length: 12 }, (_, month) => offsetAt(zone, month)))
  const [offset] = offsets
  return offsets.size === 1 && offset !== undefined ? offset : null
}
