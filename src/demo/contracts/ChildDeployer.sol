// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

contract Child {
    address public immutable parent = msg.sender;
    uint256 public immutable number;

    event Born(address indexed parent, uint256 number);

    constructor(uint256 number_) payable {
        number = number_;
        emit Born(msg.sender, number_);
    }

    function depart(address payable to) external {
        require(msg.sender == parent, "Child: only the parent");
        selfdestruct(to);
    }
}

/// Creates contracts that no transaction names: by CREATE, by CREATE2, and one that destroys itself at once. Its events
/// are those of CreateX, a factory on many chains.
contract ChildDeployer {
    uint256 public count;

    event ContractCreation(address indexed newContract);
    event ContractCreation(address indexed newContract, bytes32 indexed salt);

    function deploy() external payable {
        emit ContractCreation(address(new Child{value: msg.value}(++count)));
    }

    function deploySalted() external {
        bytes32 salt = bytes32(++count);
        emit ContractCreation(address(new Child{salt: salt}(count)), salt);
    }

    function deployAndLeave() external payable {
        Child child = new Child{value: msg.value}(++count);
        emit ContractCreation(address(child));
        child.depart(payable(msg.sender));
    }
}
