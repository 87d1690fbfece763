/** Fictional names of people and research firms. */
import type { EquityCountry } from "@tapeline/core/market"
import type { Key } from "../../kernel/random.ts"
import { pickRandom } from "../../kernel/templates.ts"

const givenNames = [
  "Alan",
  "Maren",
  "Theo",
  "Ingrid",
  "Pavel",
  "Noor",
  "Clara",
  "Dmitri",
  "Helen",
  "Marcus",
  "Yuki",
  "Renata",
  "Oskar",
  "Leila",
  "Victor",
  "Joan",
  "Samuel",
  "Petra"
]
const familyNames = [
  "Ashdown",
  "Brenner",
  "Calloway",
  "Drummond",
  "Ekholm",
  "Farrow",
  "Galanis",
  "Hathaway",
  "Ivers",
  "Jorgensen",
  "Kessel",
  "Lindqvist",
  "Mercer",
  "Norwood",
  "Okafor",
  "Pemberton",
  "Quill",
  "Rennick"
]
const koreanFamilyNames = ["김", "이", "박", "최", "정", "강", "조", "윤", "장", "임", "한", "오"]
const koreanGivenNames = [
  "민준",
  "서연",
  "도윤",
  "지우",
  "현우",
  "수빈",
  "재호",
  "은정",
  "성민",
  "하린",
  "태영",
  "미경"
]

export const makePersonName = (country: EquityCountry, key: Key, slot: number): string =>
  country === "US"
    ? `${pickRandom(givenNames, key, slot)} ${pickRandom(familyNames, key, slot + 1)}`
    : `${pickRandom(koreanFamilyNames, key, slot)}${pickRandom(koreanGivenNames, key, slot + 1)}`

export const researchFirms = [
  "Ashgrove Securities",
  "Bellwether Research",
  "Cobalt Street",
  "Dunmore & Vale",
  "Eastmark Capital",
  "Fairhaven Partners",
  "Greyfield",
  "Hanmaru Securities",
  "Ironbridge Equity",
  "Juniper Row",
  "Kestrel Point",
  "Lakemont",
  "Meridian Yard",
  "Northlight Analysis",
  "Oakhurst",
  "Pinewick"
]
