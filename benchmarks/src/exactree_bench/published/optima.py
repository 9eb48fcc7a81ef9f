"""Errors of optimal trees of the CP4IM sets, by depth: every proof must agree with them."""

DEPTH_4 = {"vehicle": 12, "ionosphere": 7, "pendigits": 13, "splice-1": 141}
DEPTH_5 = {
    "anneal": 70,
    "yeast": 313,
    "kr-vs-kp": 81,
    "diabetes": 106,
    "australian-credit": 39,
    "hypothyroid": 44,
    "soybean": 8,
    "vote": 1,
    "tic-tac-toe": 63,
    "primary-tumor": 26,
    "heart-cleveland": 7,
    "breast-wisconsin": 0,
}
KNOWN = {4: DEPTH_4, 5: DEPTH_5}
