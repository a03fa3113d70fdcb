// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Token.sol";

/// A token whose metadata attacks software that stores or shows it: NUL, markup, text direction marks, bytes that are
/// not UTF-8, five kilobytes of padding, and more decimals than any amount has digits.
contract HostileToken is MintableToken {
    uint8 public constant decimals = 255;

    function name() external pure returns (string memory) {
        bytes memory padding = new bytes(5120);
        for (uint256 i = 0; i < padding.length; i++) padding[i] = "A";
        return
            string(
                bytes.concat(
                    "Free\x00Money <script>alert('name')</script><img src=x onerror=alert(1)>",
                    hex"e280ae", // right-to-left override
                    "drawer lanoitacude",
                    hex"e280ac", // pop direction
                    hex"e2808b", // zero-width space
                    hex"fffec0af", // no UTF-8
                    "'; drop table tokens; --",
                    padding
                )
            );
    }

    function symbol() external pure returns (string memory) {
        return string(bytes.concat("\x00<b>USD", hex"e281a6", "C", hex"ff", "</b>\n\r\t"));
    }
}
