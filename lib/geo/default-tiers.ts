/**
 * Default tiers for paywalls without their own, by the World Bank's income groups: 1 high income, 2 upper middle, 3 everyone else. An owner
 * may define its own.
 */
export const DEFAULT_TIERS: Record<string, string[]> = {
  1: (
    'AD AE AG AT AU BB BE BH BN BS CA CH CL CY CZ DE DK EE ES FI FR GB GL GR HK HR HU IE IL IS IT JP KN KR KW LI LT LU ' +
    'LV MC MO MT NL NO NZ OM PL PT QA RO SA SC SE SG SI SK SM TT TW US UY VA'
  ).split(' '),
  2: (
    'AL AM AR AZ BA BG BR BW BY BZ CN CO CR CU DM DO DZ EC FJ GA GD GE GQ GT GY ID IQ IR JM KZ LC LY MD ME MH MK MN MU ' +
    'MV MX MY NA PE PY RS RU SR TH TM TO TR TV UA VC VE ZA'
  ).split(' '),
  3: [],
}
