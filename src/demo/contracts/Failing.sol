// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Every way a call can fail.
contract Reverter {
    error TideTooLow(uint256 height, uint256 needed);

    function withReason() external pure {
        revert("Reverter: always reverts");
    }

    function withError() external view {
        revert TideTooLow(block.number, type(uint256).max);
    }

    function withPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function silently() external pure {
        assembly {
            revert(0, 0)
        }
    }

    receive() external payable {
        revert("Reverter: no ether, thanks");
    }
}

/// Runs out of gas.
contract GasBurner {
    uint256 public burned;

    function burn() external {
        while (true) burned++;
    }
}
